"""What the parts of the rewriting work on: a draft of each file, and what stays with the reason."""
from typing import Dict, List, NamedTuple, Optional

from legacy_towers.migrate.source.files import SourceFile
from legacy_towers.migrate.source.pipelines import Pipeline
from legacy_towers.migrate.source.project import Project
from legacy_towers.migrate.source.rewrite.edits import Edits
from legacy_towers.migrate.source.rewrite.syntax import Source
from legacy_towers.migrate.source.values import Site


class Left(NamedTuple):
    """A call that stays as it is.

    Attributes:
      site: the call.
      reason: why it can't be rewritten, as a clause: "the key of reader.read is used".
      line: the line of what prevents it, from 1; 0: that of the call.
    """

    site: Site
    reason: str
    line: int = 0

    @property
    def whole_reason(self) -> str:
        """The reason, with the line of what prevents it where that is another one than the call's."""
        if self.line in (0, self.site.line):
            return self.reason
        return "{} (line {})".format(self.reason, self.line)

    def __str__(self) -> str:
        return "{}:{}: {}: {}".format(self.site.path, self.line or self.site.line, self.site.name, self.reason)


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
    """

    source: Source
    edits: Edits


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


def new_draft(file: SourceFile) -> Optional[Draft]:
    """Returns a draft of a file that Python 3 can parse, None for another."""
    if file.tree is None or file.is_python_2:
        return None
    source = Source(file.path, file.source)
    return Draft(source, Edits(source))
