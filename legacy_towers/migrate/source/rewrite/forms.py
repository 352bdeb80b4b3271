"""Files that libcst can't read: those of Python 2, and those that mix tabs and blanks in an indentation.

Their edits are made in a form that libcst reads, which has the same lines: the translation to Python 3, or blanks for
tabs. The lines that the edits left as they are get their own text back, also where they moved:

    file               form                edited               written
    print "a", b       print("a", b)       x = get_next()       x = get_next()
    x = batch(a)       x = batch(a)        def f():             def f():
                                               print("a", b)        print "a", b

What is written is compared: its form must be the edited one.
"""
import difflib
from typing import Dict, List, NamedTuple, Optional

from legacy_towers.migrate.source.files import SourceFile
from legacy_towers.run.python2 import indentation, syntax
from legacy_towers.text.python_source import is_python_3

# What a tab at the beginning of a line is in a form.
_TAB = " " * indentation.WIDTH


class Form(NamedTuple):
    """A form of a file that libcst reads.

    Attributes:
      own: the text of the file; of a file of Python 2 with "\\n" at the ends of lines.
      text: the form, which has the same lines.
      is_python_2: whether the file is one of Python 2.
      newline: what stands in the file where `own` has "\\n".
    """

    own: str
    text: str
    is_python_2: bool
    newline: str = "\n"

    def written(self, edited: str) -> Optional[str]:
        """Returns the text of the file with the edits that were made in the form; None if the form of it differs."""
        own, lines, new = self.own.split("\n"), self.text.split("\n"), edited.split("\n")
        moved: Dict[str, List[str]] = {}
        for mine, line in zip(own, lines):
            if mine != line:
                moved.setdefault(line.lstrip(), []).append(mine.lstrip())
        has_tabs = any(each.startswith("\t") for each in own) and not any(each.startswith(_TAB) for each in own)
        found: List[str] = []
        for kind, first, end, start, stop in difflib.SequenceMatcher(None, lines, new, False).get_opcodes():
            if kind == "equal":
                found += own[first:end]
            else:
                found += [_moved(line, moved.get(line.lstrip(), []), has_tabs) for line in new[start:stop]]
        text = "\n".join(found)
        again = _form(text, self.is_python_2)
        return text.replace("\n", self.newline) if again is not None and again.text == edited else None


def form_of(file: SourceFile) -> Optional[Form]:
    """Returns the form of a file; None if it has none with the same lines, or is not one of UTF-8.

    The lines of a file of Python 2 must all end in "\\n", or all in "\\r\\n".
    """
    try:
        text = file.source.decode("utf-8")
    except UnicodeDecodeError:
        return None
    is_windows = file.is_python_2 and "\r" in text and text.count("\r\n") == text.count("\n")
    form = _form(text.replace("\r\n", "\n") if is_windows else text, file.is_python_2)
    return form._replace(newline="\r\n") if form is not None and is_windows else form


def _form(text: str, is_python_2: bool) -> Optional[Form]:
    if not is_python_2:
        return Form(text, indentation.with_blanks(text), False)
    if is_python_3(text):
        return None  # Python 3 would read it otherwise, such as its divisions.
    translated = syntax.translated_text(text.encode("utf-8"), "")
    if translated is None or "\r" in text or "\f" in text or text.startswith("\ufeff"):
        return None
    if not text.endswith("\n"):
        translated = translated[:-1]
    return Form(text, translated, True) if translated.count("\n") == text.count("\n") else None


def _moved(line: str, own: List[str], has_tabs: bool) -> str:
    """Returns a line of the form as the file has it, in the indentation that the line has now."""
    bare = line.lstrip()
    blanks = line[: len(line) - len(bare)]
    if has_tabs:
        blanks = blanks.replace(_TAB, "\t")
    return blanks + (own[0] if len(set(own)) == 1 else bare)
