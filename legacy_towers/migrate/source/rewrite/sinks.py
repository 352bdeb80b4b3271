"""The statements that take the examples which a pipeline reads."""
from typing import Any, List, Sequence, Set, Tuple

import libcst as cst

from legacy_towers.migrate.source.rewrite.checks import calls_in
from legacy_towers.migrate.source.rewrite.entries import Entry
from legacy_towers.migrate.source.rewrite.functions import Calls
from legacy_towers.migrate.source.rewrite.joins import Joins
from legacy_towers.migrate.source.rewrite.names import names_of
from legacy_towers.migrate.source.rewrite.single import is_only_run
from legacy_towers.migrate.source.values import Site


class Sinks:
    """Finds what takes examples: a batcher, a function of the project that batches, a return statement.

    Args:
      calls: the functions and calls of the pipeline.
      joins: its lists of examples.
      read: the call that reads.

    Attributes:
      read: the call that reads the examples that are followed.
    """

    def __init__(self, calls: Calls, joins: Joins, read: Site) -> None:
        self._calls = calls
        self._joins = joins
        self.read = read

    def first(self, entry: Entry, statements: List[Any], start: int, stage: Any, is_one_dataset: bool) -> int:
        """Returns the number of the first statement that takes examples, -1 if none does.

        Args:
          entry: where the examples come from.
          statements: the statements of its block, in order.
          start: the number of the first one after the reader.
          stage: the stage whose calls are looked for.
          is_one_dataset: whether one dataset has what is read from all producers.
        """
        first = ([entry.statement] if entry.is_computing else []) + list(entry.computing)
        names = set(entry.roots.names)
        for statement in first:
            names |= names_of(statement).bound
        batching = -1
        for number, statement in enumerate(statements[start:], start):
            batches = stage.batches_in(entry, statement)
            if batches and self._is_read(entry, statement, batches, names):
                return number
            is_definition = isinstance(statement, (cst.FunctionDef, cst.ClassDef))
            if batches and is_one_dataset and batching < 0 and not is_definition:
                # It takes the examples in a way that is not shown, unless a later one takes them.
                batching = number
            if batching < 0 and self.takers_in(entry, statement, names, stage):
                return number
            if batching < 0 and isinstance(statement, cst.Return) and (
                names_of(statement).read & names or self._joins.returned_by(statement) is not None
            ):
                return number
            found = names_of(statement)
            if found.read & names and not is_only_run(entry.draft.source, statement, names):
                names |= found.bound | found.changed
        if batching >= 0:
            return batching
        is_last = isinstance(entry.statement, cst.Return) or bool(stage.batches_in(entry, entry.statement))
        return start - 1 if entry.is_computing and is_last else -1

    def _is_read(
        self, entry: Entry, statement: Any, batches: Sequence[Tuple[Site, cst.Call]], names: Set[str]
    ) -> bool:
        """Returns whether a statement batches something of `names`."""
        # A record is passed in the list of a join where the queue was.
        joined = [entry.draft.edits.done(each) for each in (self._joins.value_of(call) for _, call in batches)
                  if each is not None]
        return bool(names_of(statement, *joined).read & names)

    def takers_in(self, entry: Entry, statement: Any, names: Set[str], stage: Any) -> List[Tuple[cst.Call, Any]]:
        """Returns the calls of functions of the project that batch what they are given, with these functions."""
        found = []
        for call in calls_in(statement):
            function = self._calls.function_of(entry.draft, call)
            given = [each.value for each in call.args]
            listed = self._joins.value_of(call)
            if listed is not None:
                given.append(entry.draft.edits.done(listed))
            if function is None or not (names_of(*given).read & names):
                continue
            if any(self._calls.is_inside(site, function) for site in stage.sites):
                found.append((call, function))
        return found

    def expressions(
        self, entry: Entry, statement: Any, batches: Sequence[Tuple[Site, cst.Call]], names: Set[str], stage: Any
    ) -> List[Any]:
        """Returns the expressions that compute what a statement batches, passes on or returns."""
        calls = [call for _, call in batches] or [call for call, _ in self.takers_in(entry, statement, names, stage)]
        if not calls and isinstance(statement, cst.Return):
            return [statement.value]
        joined = [self._joins.value_of(call) for call in calls]
        read = [self._calls.function_of(entry.draft, each) for each in joined if isinstance(each, cst.Call)]
        reads = any(each is not None and self._calls.is_inside(self.read, each) for each in read)
        found = [each.value for call in calls for each in call.args]
        return found if reads else found + [each for each in joined if each is not None]
