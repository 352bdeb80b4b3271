"""A queue that is made in both branches of an `if`, which may compute examples, too.

    if train:                                            def parse(record):
        image = tf.image.random_flip_left_right(image)       if train:
        queue = tf.RandomShuffleQueue(100, 50, ...)              image = tf.image.random_flip_left_right(image)
        threads = 16                                         ...
    else:                                                if train:
        queue = tf.FIFOQueue(100, ...)                       threads = 16
        threads = 1                                      else:
                                                             threads = 1
"""
from typing import Any, List, Sequence, Set

import libcst as cst

from legacy_towers.migrate.source.rewrite.checks import calls_in
from legacy_towers.migrate.source.rewrite.drafts import Irregular
from legacy_towers.migrate.source.rewrite.entries import Entry
from legacy_towers.migrate.source.rewrite.functions import Calls
from legacy_towers.migrate.source.rewrite.names import names_of
from legacy_towers.migrate.source.rewrite.origins import bound_name, branches_of
from legacy_towers.migrate.source.rewrite.region import Examples
from legacy_towers.migrate.source.rewrite.shapes import queues
from legacy_towers.migrate.source.rewrite.syntax import arguments, statements_of
from legacy_towers.migrate.source.values import Site


class QueueBranches:
    """A queue that is made in both branches of an `if`.

    Args:
      calls: the functions and calls of the pipeline.
      made: the two calls that make it.

    Raises:
      Irregular: they are not in the branches of one `if`, or make queues of other elements.
    """

    def __init__(self, calls: Calls, made: Sequence[Site]) -> None:
        self._made = made
        self._source = calls.draft(made[0].path).source
        self._nodes = [calls.call(each) for each in made]
        names = {bound_name(self._source, each) for each in self._nodes}
        found = branches_of(self._source, self._nodes) if len({each.path for each in made}) == 1 else None
        if len(made) != 2 or len(names) > 1 or "" in names or found is None or not isinstance(found.orelse, cst.Else):
            raise Irregular(made[1], "its examples go through several queues")
        shapes = {self._shapes(site, node) for site, node in zip(made, self._nodes)}
        if len(shapes) > 1:
            raise Irregular(made[1], "its shapes are not those of the queue in the other branch")
        self.statement: cst.If = found
        self.name = names.pop()

    def _shapes(self, site: Site, node: cst.Call) -> str:
        given = arguments(node, queues.PARAMETERS[site.name]) or {}
        return self._source.code(given["shapes"]).strip() if "shapes" in given else ""

    @property
    def bodies(self) -> List[Any]:
        """The two branches."""
        assert isinstance(self.statement.orelse, cst.Else)
        return [self.statement.body, self.statement.orelse.body]

    def makes(self, statement: Any) -> bool:
        """Returns whether a statement makes one of the queues."""
        return isinstance(statement, cst.Assign) and any(statement.value is each for each in self._nodes)

    def is_all(self) -> bool:
        """Returns whether the `if` has nothing but the queues."""
        return all(self.makes(each) for body in self.bodies for each in statements_of(body))

    def apart(self, entry: Entry, examples: Examples, sink: Any, queued: cst.Call) -> Examples:
        """Takes out of the `if` what computes no example, and writes that before `sink`.

        Args:
          entry: where the examples come from.
          examples: the statements that compute an example, one of which is the `if`.
          sink: the statement that queues examples.
          queued: the call that does.
        """
        if not any(each is self.statement for each in examples.statements):
            return examples
        test = names_of(self.statement.test).read
        if names_of(self.statement).bound & test or calls_in(self.statement.test):
            raise Irregular(self._made[0], "the condition of its queue changes, or calls a function")
        others = [each for each in examples.statements if each is not self.statement]
        needed = names_of(*[each.value for each in queued.args], *others).read | (set(entry.roots.names))
        values = set(entry.roots.names).union(*(names_of(each).bound for each in others))
        texts, bound = [], {self.name}
        for body in self.bodies:
            staying = self._staying(statements_of(body), needed - {self.name}, values)
            bound |= set().union(*(names_of(each).bound for each in staying)) if staying else set()
            texts.append([self._source.code(each).strip() for each in staying])
            for each in statements_of(body):
                if self.makes(each) or each in staying:
                    entry.draft.edits.remove(each)
        lines = self._lines(texts)
        if lines:
            entry.draft.edits.insert_before(sink, lambda: self._source.parse("\n".join(lines)))
        return examples._replace(names=examples.names - bound, apart=frozenset(bound))

    def _staying(self, statements: Sequence[Any], needed: Set[str], values: Set[str]) -> List[Any]:
        """Returns the statements of a branch that compute nothing of an example, without those that make a queue."""
        needed, values = set(needed), set(values)
        computing: List[Any] = []
        for _ in statements:  # each of them may add names to what another one reads
            for each in statements:
                found = names_of(each)
                is_computing = (found.bound | found.changed) & needed or found.read & values
                if is_computing and not self.makes(each) and each not in computing:
                    computing.append(each)
                    needed |= found.read
                    values |= found.bound
        staying = [each for each in statements if each not in computing and not self.makes(each)]
        for each in staying:
            if not isinstance(each, cst.Assign):
                raise Irregular(self._made[0], "a branch that makes its queue does something else, too",
                                self._source.line(each))
        return staying

    def _lines(self, texts: Sequence[Sequence[str]]) -> List[str]:
        first, second = [["    " + each for each in found] for found in texts]
        condition = self._source.code(self.statement.test).strip()
        if first and second:
            return ["if {}:".format(condition)] + first + ["else:"] + second
        if first or second:
            return ["if {}:".format(condition if first else "not ({})".format(condition))] + (first or second)
        return []
