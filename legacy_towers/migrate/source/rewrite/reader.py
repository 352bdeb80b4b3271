"""The reader of a stream: its arguments where the dataset is made, and the statement that made it."""
from typing import Any, Dict, Optional, Tuple

import libcst as cst

from legacy_towers.migrate.source.project import Project
from legacy_towers.migrate.source.rewrite.carried import carried
from legacy_towers.migrate.source.rewrite.checks import Checks
from legacy_towers.migrate.source.rewrite.drafts import Draft, Irregular
from legacy_towers.migrate.source.rewrite.functions import Calls, Defined, uses_of
from legacy_towers.migrate.source.rewrite.names import dotted
from legacy_towers.migrate.source.rewrite.scope import Scope
from legacy_towers.migrate.source.rewrite.shapes import readers
from legacy_towers.migrate.source.rewrite.shapes.producers import Cant
from legacy_towers.migrate.source.rewrite.syntax import arguments, statements_of
from legacy_towers.migrate.source.rewrite.taken import attributes_of
from legacy_towers.migrate.source.values import Site


class Reader:
    """The reader of a stream.

    Args:
      project: the project.
      calls: the functions and calls of the pipeline.
      site: the call that makes it, None where a queue is read without one.
      read: the call that reads.
    """

    def __init__(self, project: Project, calls: Calls, site: Optional[Site], read: Site) -> None:
        self._project = project
        self._calls = calls
        self._site = site
        self._read = read

    def records(self, scope: Scope, tf: str, given: Dict[str, Any]) -> Optional[readers.Records]:
        if self._site is None:
            return None
        found = given or arguments(self._calls.call(self._site), readers.PARAMETERS[self._site.name])
        if found is None:
            raise Irregular(self._site, "it is called with *arguments, **keywords or arguments that it does not have")
        try:
            return readers.records_of(self._site.name, found, scope, tf)
        except Cant as why:
            raise Irregular(self._site, str(why)) from None

    def remove(self, draft: Draft) -> None:
        """Removes the statement that makes the reader."""
        if self._site is None:
            return
        source = draft.source
        reader, read = self._calls.call(self._site), self._calls.call(self._read)
        if isinstance(read.func, cst.Attribute) and read.func.value is reader:
            return
        statement = source.statement(reader)
        if not isinstance(statement, cst.Assign) or statement.value is not reader or len(statement.targets) != 1:
            raise Irregular(self._site, "its reader is used in an expression")
        target = statement.targets[0].target
        if isinstance(target, cst.Attribute) and dotted(target) == dotted(getattr(read.func, "value", None)):
            loads = [each for each in attributes_of(source.module, target.attr.value) if each is not target]
            if [source.parents[each] for each in loads] == [read.func]:
                draft.edits.remove(statement)
                return
        if not isinstance(target, cst.Name) or source.function(reader) is not source.function(read):
            raise Irregular(self._site, "its reader is kept in an object, or used in another function")
        function = source.function(reader)
        uses = uses_of(source, function.body if function is not None else source.module, target.value)
        if any(source.parents[each] is not read.func for each in uses):
            raise Irregular(self._site, "its reader is used elsewhere")
        draft.edits.remove(statement)

    def problem_in(self, defined: Defined) -> Optional[Tuple[str, int]]:
        """Returns why a function that reads can't be one of Dataset.map."""
        source = defined.draft.source
        own = (self._calls.call(self._read), self._calls.call(self._site) if self._site is not None else None)
        skipped = {source.statement(each) for each in own if each is not None}
        nodes = [each for each in statements_of(defined.node.body) if each not in skipped]
        return Checks(self._project.knowledge, source).problem_inside(nodes)

    def carried_records(
        self, scope: Scope, tf: str, defined: Defined, given: Dict[str, Any], path: str
    ) -> Optional[readers.Records]:
        if self._site is None:
            return None
        reader = self._calls.call(self._site)
        found = arguments(reader, readers.PARAMETERS[self._site.name])
        if found is None:
            raise Irregular(self._site, "it is called with *arguments, **keywords or arguments that it does not have")
        there = Scope(defined.draft.source, defined.node)
        moved = {}
        for name, node in found.items():
            moved[name] = carried(node, there, given, defined.draft.source.path == path,
                                  there.source.line(reader))
            if moved[name] is None:
                raise Irregular(self._site, "its {} is computed in the function that reads".format(name))
        return self.records(scope, tf, moved)
