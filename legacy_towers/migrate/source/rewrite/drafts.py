"""What the parts of the rewriting work on: a draft of each file, and what stays with the reason."""
from typing import Dict, List, NamedTuple, Optional

import libcst as cst

from legacy_towers.migrate.source.files import SourceFile
from legacy_towers.migrate.source.pipelines import Pipeline
from legacy_towers.migrate.source.project import Project
from legacy_towers.migrate.source.rewrite.edits import Edits
from legacy_towers.migrate.source.rewrite.forms import Form, form_of
from legacy_towers.migrate.source.rewrite.syntax import Source
from legacy_towers.migrate.source.values import Site

# What libcst calls it.
_UTF_8 = ("utf-8", "utf-8-sig", "utf8")


class Left(NamedTuple):
    """A call that stays as it is.

    Attributes:
      site: the call.
      reason: why it can't be rewritten, as a clause: "the key of reader.read is used".
      line: the line of what prevents it, from 1; 0: that of the call.
      path: the file of what prevents it, where that is none of the calls of queues; "": that of the call.
      name: the name of TensorFlow that prevents it there, "tf.contrib.layers.flatten".
    """

    site: Site
    reason: str
    line: int = 0
    path: str = ""
    name: str = ""

    @property
    def whole_reason(self) -> str:
        """The reason, with the line of what prevents it where that is another one than the call's."""
        if self.line in (0, self.site.line):
            return self.reason
        return "{} (line {})".format(self.reason, self.line)

    def __str__(self) -> str:
        return "{}:{}: {}: {}".format(
            self.path or self.site.path, self.line or self.site.line, self.name or self.site.name, self.reason)


class Irregular(Exception):
    """A pipeline can't be rewritten.

    Args:
      site: the call that stays.
      reason: why, as a clause.
      line: the line of what prevents it; 0: that of the call.
    """

    def __init__(self, site: Site, reason: str, line: int = 0) -> None:
        super().__init__(reason)
        self.left = Left(site, reason, line)


class Draft(NamedTuple):
    """A file and its edits.

    Attributes:
      source: the file.
      edits: what is changed in it.
      form: the form in which libcst reads it, None if it reads the file itself.
    """

    source: Source
    edits: Edits
    form: Optional[Form] = None

    def text(self, site: Site) -> str:
        """Returns the text of the file with all edits done.

        Raises:
          Irregular: the file can't have it; the error has the call `site`.
        """
        text: Optional[str] = self.edits.text()
        if self.form is not None and text is not None:
            text = self.form.written(text)
        if text is None:
            raise _python_2(site)
        return text


class Program(NamedTuple):
    """The files of a group of pipelines.

    Attributes:
      project: the project.
      controls: the calls that start, stop and initialize the queues of these pipelines, which are all rewritten.
      drafts: path -> the draft, for each file that has one of these calls or one of the pipelines.
      pipelines: the pipelines that are rewritten.
    """

    project: Project
    controls: List[Site]
    drafts: Dict[str, Draft]
    pipelines: List[Pipeline]


class Drafts:
    """Makes drafts of the files of a project, each of which is parsed once.

    Args:
      project: the project.
      is_python_3: whether the new text must be Python 3.
    """

    def __init__(self, project: Project, is_python_3: bool) -> None:
        self._files = project.files
        self._is_python_3 = is_python_3
        self._first: Dict[str, Draft] = {}

    def draft(self, site: Site, path: Optional[str] = None) -> Draft:
        """Returns a new draft of the file of a call, or of `path` for this call; raises the errors of `new_draft`."""
        path = site.path if path is None else path
        if path not in self._first:
            self._first[path] = new_draft(self._files[path], site, self._is_python_3)
        first = self._first[path]
        return first._replace(edits=Edits(first.source))


def new_draft(file: SourceFile, site: Site, is_python_3: bool = False) -> Draft:
    """Returns a draft of a file.

    Args:
      file: the file.
      site: a call in it.
      is_python_3: whether the new text must be Python 3.

    Raises:
      Irregular: it can't be parsed, is not encoded in UTF-8, or is Python 2 where that can't be edited.
    """
    form = None
    try:
        if file.is_python_2:
            form = None if is_python_3 else form_of(file)
            if form is None:
                raise _python_2(site)
        else:
            try:
                return _draft(file, site, file.source, None)
            except cst.ParserSyntaxError:
                form = form_of(file)
                if form is None:
                    raise
        return _draft(file, site, form.text.encode("utf-8"), form)
    except cst.ParserSyntaxError as error:
        raise Irregular(site, "{} can't be parsed: {}".format(file.path, error.message), error.raw_line) from None
    except UnicodeDecodeError as error:
        line = file.source[:error.start].count(b"\n") + 1
        raise Irregular(site, "{}, line {}, has bytes that are not {}: save it in the encoding that it declares".format(
            file.path, line, error.encoding.upper())) from None


def _draft(file: SourceFile, site: Site, content: bytes, form: Optional[Form]) -> Draft:
    own = None if form is None or form.is_python_2 else form.own.splitlines()
    source = Source(file.path, content, own)
    if source.module.encoding.lower().replace("_", "-") not in _UTF_8 and not content.isascii():
        raise Irregular(site, "{} is encoded in {}: make it one of UTF-8 first, such as by `iconv`".format(
            file.path, source.module.encoding))
    return Draft(source, Edits(source), form)


def _python_2(site: Site) -> Irregular:
    return Irregular(site, "{0} is written for Python 2: make it one of Python 3 first, such as by `2to3 -w {0}`; "
                     "2to3 comes with Python up to 3.12".format(site.path))
