"""Branches of an `if` that batch, of which one computes more of an example before, or batches other parts of it: each
maps the dataset itself.

    image, label = read(queue)                                 dataset = dataset.map(read)
    if train:                                                  if train:
        image = tf.random_crop(image, [24, 24, 3])                 def parse(image, label): ...
        return tf.train.shuffle_batch([image, label], 8, ...)      dataset = dataset.map(parse).shuffle(...).batch(8)
    return tf.train.batch([image, label], 8)                   dataset = dataset.batch(8)

A branch may also return a single example, which becomes the next element of the dataset.
"""
import functools
from typing import Any, Callable, List, Sequence, Set

import libcst as cst

from legacy_towers.migrate.source.rewrite.batch_stage import BatchStage
from legacy_towers.migrate.source.rewrite.checks import Checks
from legacy_towers.migrate.source.rewrite.drafts import Irregular
from legacy_towers.migrate.source.rewrite.entries import Entry
from legacy_towers.migrate.source.rewrite.examples import Element, Roots
from legacy_towers.migrate.source.rewrite.functions import Calls
from legacy_towers.migrate.source.rewrite.mapping import write_map
from legacy_towers.migrate.source.rewrite.names import names_of
from legacy_towers.migrate.source.rewrite.opposite import opposite_of
from legacy_towers.migrate.source.rewrite.region import Examples, Unclear, computing, exits, in_order, region_of
from legacy_towers.migrate.source.rewrite.scope import Scope
from legacy_towers.migrate.source.rewrite.syntax import statements_of
from legacy_towers.migrate.source.rewrite.tensors import tensors_of
from legacy_towers.migrate.source.values import Site

# A branch has no more statements of its own that others have too.
_MOST_SHARED = 10


class Branched:
    """Writes the branches of an `if` that batch, where one of them computes more of an example before.

    Args:
      calls: the functions and calls of the pipeline.
      batches: its batchers.
      read: the call that reads.
      own: the calls of its producers and readers.
      follow: goes from where code gets examples to what takes them.
    """

    def __init__(
        self, calls: Calls, batches: BatchStage, read: Site, own: Sequence[cst.Call], follow: Callable[[Entry], None]
    ) -> None:
        self._calls = calls
        self._batches = batches
        self._read = read
        self._own = own
        self._follow = follow

    def is_written(self, entry: Entry, statements: Sequence[Any], start: int, sink: int) -> bool:
        """Writes the dataset of what all branches share, and that of each branch.

        Returns False, and edits nothing, where all of them batch the same, or where the source does not show that
        what they share are tensors.

        Args:
          entry: where the examples come from.
          statements: the statements of its block, in order.
          start: the number of the first one after the reader.
          sink: the number of the first one that batches, or that returns a single example before.
        """
        source = entry.draft.source
        scope = Scope(source, entry.function)
        checks = Checks(self._calls.project.knowledge, source)
        statement = statements[sink]
        body = entry.function.body if entry.function is not None else source.module
        if not isinstance(statement, cst.If) or entry.computing or region_of(source, statement) is not body:
            return False
        first = [entry.statement] if entry.is_computing else []
        try:
            examples = computing(statements, start, sink, set(entry.roots.names), first, checks.is_random)
        except Unclear:
            return False
        singles: List[Any] = []
        opposite = opposite_of(source, statements, sink)
        branches = self._branches(entry, statements, sink, examples.names, singles, opposite)
        used = names_of(statement, *(each for branch in branches for each in branch)).read
        if not branches or not self._is_clear(statements[:sink], examples, used, checks):
            return False
        roots = entry.roots
        if examples.statements:
            shared = [each for each in tensors_of(self._calls, entry, examples, scope) if each in used]
            if set(shared) != examples.names & used:
                return not singles and self._is_written_whole(entry, statements, sink, examples, branches)
            problem = checks.problem_inside(examples.statements, self._own)
            element = Element.of([cst.Name(each) for each in shared], source)
            read = names_of(*examples.statements).read - examples.names
            why = checks.problem_of_captured(read, scope, examples.statements)
            if problem is not None or why is not None:
                raise Irregular(self._read, *(problem or (why,)))
            if checks.uses_table(read, scope):
                return False
            threads = self._threads(entry, branches, statement, scope)
            write_map(self._calls, entry, statement, examples, element, threads)
            roots = Roots(tuple(shared))
        for block in singles:
            if roots.is_all:
                raise Irregular(self._read, "one branch returns a single example, and another one batches",
                                source.line(statement))
            text = "{} = {}".format(", ".join(roots.names), source.code(self._calls.next_element(
                entry.dataset, self._calls.tensorflow(scope, self._read))))
            entry.draft.edits.insert_before(in_order(block)[0], functools.partial(source.parse, text))
        for branch in branches:
            self._follow(entry._replace(statement=None, roots=roots, is_computing=False, branch=tuple(branch),
                                        others=tuple(opposite)))
        return True

    def _is_written_whole(
        self, entry: Entry, statements: Sequence[Any], sink: int, examples: Examples, branches: Sequence[Any]
    ) -> bool:
        """Writes a dataset of each branch alone, which computes what they share too: an object, perhaps."""
        checks = Checks(self._calls.project.knowledge, entry.draft.source)
        if len(examples.statements) > _MOST_SHARED or entry.statement is None or (
            checks.problem_inside(examples.statements, self._own) is not None
        ):
            return False
        before = tuple(each for each in statements[:sink] if each is entry.statement or any(
            each is one for one in examples.statements))
        for branch in branches:
            self._follow(entry._replace(branch=before + tuple(branch), shared=before,
                                        others=tuple(opposite_of(entry.draft.source, statements, sink))))
        return True

    def early_return(self, entry: Entry, statements: Sequence[Any], start: int, sink: int) -> int:
        """Returns the number of the first `if` before the batch that returns a single example, -1 without it."""
        names = set(entry.roots.names)
        for number, statement in enumerate(statements[start:sink], start):
            found = names_of(statement)
            if isinstance(statement, cst.If) and found.read & names and exits(statement):
                return number
            if found.read & names:
                names |= found.bound | found.changed
        return -1

    def _branches(
        self, entry: Entry, statements: Sequence[Any], sink: int, names: Set[str], singles: List[Any],
        opposite: Sequence[Any]
    ) -> List[Any]:
        """Returns the statements of each branch, [] where no branch computes what it batches, and all batch the same.

        Where an `if` returns, the statements after it are a branch; so is `opposite`, the `if not` after it. The blocks
        that return single examples are added to `singles`.
        """
        blocks: List[Any] = []
        node = statements[sink]
        while isinstance(node, cst.If):
            if names_of(node.test).read & names:
                return []
            blocks.append(node.body)
            node = node.orelse
        blocks += [each.body for each in opposite]
        goes_on = node is None and not opposite
        if isinstance(node, cst.Else):
            blocks.append(node.body)
        if goes_on and any(not isinstance(statements_of(each)[-1], cst.Return) for each in blocks):
            return []
        rest = list(statements[sink + 1 :])
        for block in list(blocks):
            inside = in_order(block)
            if isinstance(inside[-1], cst.Return) and names_of(*inside).read & names and not any(
                self._batches.batches_in(entry, each) for each in inside
            ):
                singles.append(block)
                blocks.remove(block)
        if singles and not blocks and goes_on:
            # It may have branches, too.
            return [rest]
        branches = [in_order(each) for each in blocks] + ([rest] if goes_on else [])
        computes = bool(singles)
        tensors: Set[str] = set()
        # What the code after the `if` may read of it: batches that have the names of examples.
        batched = set(names)
        for branch in branches:
            found = [(each, self._batches.batches_in(entry, each)) for each in branch]
            batching = [(each, batches) for each, batches in found if batches]
            if len(batching) != 1:
                return []
            for site, call in batching[0][1]:
                given = self._batches.given(site, call)
                if site.name.endswith("_join") or "enqueue_many" in given:
                    return []
                tensors.add(entry.draft.source.code(given.get("tensors", call)).strip())
            batched &= names_of(batching[0][0]).bound
            before = names_of(*branch[: branch.index(batching[0][0])])
            computes = computes or bool((before.read | before.changed) & names)
        if not goes_on and names_of(*statements[sink + 1 + len(opposite) :]).read & (names - batched):
            return []
        return branches if computes or len(tensors) > 1 or opposite else []

    def _threads(self, entry: Entry, branches: Sequence[Any], statement: Any, scope: Scope) -> str:
        """Returns the expression of the number of threads of the first branch, "" if it has a meaning only there."""
        found = [one for each in branches[0] for one in self._batches.batches_in(entry, each)]
        threads = self._batches.threads(found, scope)
        is_known = threads and not names_of(cst.parse_expression(threads)).read & names_of(statement).bound
        return threads if is_known else ""

    @staticmethod
    def _is_clear(before: Sequence[Any], examples: Examples, used: Set[str], checks: Checks) -> bool:
        """Returns whether all that differs for each example is known: no `self.image`, no functions, random numbers."""
        if any("." in each for each in examples.names) or any(exits(each) for each in examples.statements):
            return False
        drawn: Set[str] = set()
        for each in before:
            found = names_of(each)
            if any(each is one for one in examples.statements):
                continue
            if isinstance(each, (cst.FunctionDef, cst.ClassDef)) and found.read & examples.names:
                return False
            if checks.is_random(each) or found.read & drawn:
                drawn |= found.bound
        return not drawn & used
