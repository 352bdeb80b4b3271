"""Examples that are passed to functions of the project, and returned by them.

A function that batches what it is given takes the dataset instead; one that returns what it reads returns the dataset.
"""
import functools
from typing import Any, Callable, Optional, Sequence, Set, Tuple

import libcst as cst

from legacy_towers.migrate.source.rewrite.drafts import Irregular
from legacy_towers.migrate.source.rewrite.entries import Entry
from legacy_towers.migrate.source.rewrite.examples import Element, Roots, is_dict, returns_of
from legacy_towers.migrate.source.rewrite.functions import Calls
from legacy_towers.migrate.source.rewrite.joins import Join, Joins
from legacy_towers.migrate.source.rewrite.names import name_of, names_of, parameters, targets
from legacy_towers.migrate.source.rewrite.scope import Scope, literal
from legacy_towers.migrate.source.rewrite.syntax import LOOPS, arguments
from legacy_towers.migrate.source.values import Site


class Passing:
    """Writes the functions that take and return the examples of a pipeline.

    Args:
      calls: its functions and calls.
      joins: its lists of examples.
      read: the call that reads.
      follow: goes from where code gets examples to what takes them.
      is_taken: returns whether something batches, passes on, keeps or returns the examples that code gets.
    """

    def __init__(
        self, calls: Calls, joins: Joins, read: Site, follow: Callable[[Entry], None], is_taken: Callable[[Entry], bool]
    ) -> None:
        self._calls = calls
        self._joins = joins
        self.read = read
        self._follow = follow
        self._is_taken = is_taken

    # Functions of the project that batch what they are given

    def taker_element(self, entry: Entry, takers: Sequence[Tuple[cst.Call, Any]], names: Set[str]) -> Element:
        if len(takers) > 1:
            raise Irregular(self.read, "two functions batch its examples", entry.draft.source.line(takers[0][0]))
        call, _ = takers[0]
        given = [each for each in call.args if names_of(each.value).read & names]
        if len(given) == 1 and isinstance(given[0].value, (cst.List, cst.Tuple)):
            return Element.of([each.value for each in given[0].value.elements], entry.draft.source, is_all=True)
        return Element.of([each.value for each in given], entry.draft.source)

    def write_taker(
        self, entry: Entry, call: cst.Call, function: Any, names: Set[str], element: Element,
        listed: Optional[Join] = None,
    ) -> None:
        """Passes the dataset to a function that batches examples, or that joins a list of them."""
        source, edits = entry.draft.source, entry.draft.edits
        site = self.read
        order = parameters(function.node)
        if function.is_method:
            order = order[1:]
        given = arguments(call, order)
        if given is None:
            raise Irregular(site, "a function that batches its examples is called with *arguments", source.line(call))
        taken = [name for name in order if name in given and names_of(given[name]).read & names]
        arranged = [name for each in call.args for name in taken if given[name] is each.value]
        passed = self._joins.passed(function.node)
        if listed is not None and passed is not None:
            if [name for name in taken if name != passed.parameter]:
                raise Irregular(site, "a function gets a list of examples, and an example", source.line(call))
            arranged = [passed.parameter]
        dataset = self._calls.dataset_parameter(function)
        args = [
            each.with_changes(value=cst.Name(entry.dataset),
                              keyword=None if each.keyword is None else cst.Name(dataset))
            if each.value is given[arranged[0]] else each
            for each in call.args if each.value is given[arranged[0]] or all(each.value is not given[one]
                                                                             for one in arranged)
        ]
        last = args[-1].with_changes(comma=call.args[-1].comma)
        edits.replace(call, call.with_changes(args=args[:-1] + [last]))
        self._calls.handled(entry.draft, call, function)
        self._calls.change_parameters(function, arranged, dataset)
        roots = Roots(tuple(arranged), element.is_all)
        if listed is not None and passed is not None:
            roots = passed.roots(element, isinstance(listed.value, cst.Dict))
        self._follow(Entry(function.draft, function.node, None, roots, False, dataset))

    def check_block(self, entry: Entry, call: cst.Call, block: Any) -> None:
        source = entry.draft.source
        if any(isinstance(each, LOOPS + (cst.Try,)) for each in source.between(call, block)):
            raise Irregular(self.read, "its examples are batched in another block than they are read in: in a loop, "
                            "perhaps", source.line(call))

    # Functions that return what they read

    def write_return(self, entry: Entry, statement: Any, element: Element, is_initialized: bool = False) -> None:
        """Writes what a function returns, and goes on where it is called.

        Args:
          entry: where the function gets examples.
          statement: its return statement.
          element: what it returns.
          is_initialized: whether the dataset needs a table.
        """
        source, edits = entry.draft.source, entry.draft.edits
        assert entry.function is not None
        # `return None`, where there is nothing to read, stays.
        others = [each for each in returns_of(entry.function) if each is not statement and each.value is not None
                  and literal(each.value) != "None"]
        if others:
            raise Irregular(self.read, "the function that reads has {} return statements".format(len(others) + 1),
                            source.line(others[0]))
        scope = Scope(source, entry.function)
        callers = self._calls.callers_of(entry.draft, entry.function)
        if not callers:
            # It gives an example to code of other projects, as before.
            if is_initialized:
                raise Irregular(self.read, "nothing in the project calls the function that reads, and it computes "
                                "examples with a table", source.line(entry.function))
            example = self._calls.next_element(entry.dataset, self._calls.tensorflow(scope, self.read))
            is_list = isinstance(scope.resolved(statement.value), cst.List)
            edits.replace(statement.value, cst.Call(cst.Name("list"), [cst.Arg(example)]) if is_list else example)
            return
        returns_dict = is_dict(statement.value, scope)
        edits.replace(statement.value, cst.Name(entry.dataset))
        function = self._calls.of_node(entry.draft, entry.function)
        if len(callers) > 1:
            self._calls.is_only_pipeline = False
        for draft, call in callers:
            self._calls.handled(draft, call, function)
            caller = draft.source.statement(call)
            if not isinstance(caller, cst.Assign) or caller.value is not call or len(caller.targets) != 1:
                raise Irregular(self.read, "the result of the function that reads is used in an expression",
                                draft.source.line(caller))
            found = targets(caller)
            if not all(map(name_of, found)):
                raise Irregular(self.read, "the result of the function that reads is kept in an object",
                                draft.source.line(caller))
            names = tuple(map(name_of, found))
            is_all = len(names) == 1 and element.size > 1
            if not is_all and len(names) != element.size:
                raise Irregular(self.read, "the source does not show what is returned", draft.source.line(caller))
            there = draft.source.function(caller)
            entry = Entry(draft, there, caller, Roots(names, is_all, returns_dict and len(names) == 1), False, "")
            scope = Scope(draft.source, there)
            if not self._is_taken(entry):
                # It uses single examples: each call of the function reads for itself.
                draft.edits.replace(call, functools.partial(self._next, self._calls.tensorflow(scope, self.read)))
                continue
            dataset = self._calls.dataset_name(scope)
            draft.edits.replace(caller.targets[0], cst.AssignTarget(cst.Name(dataset)))
            self._follow(entry._replace(dataset=dataset))

    @staticmethod
    def _next(tf: str, call: cst.Call) -> cst.BaseExpression:
        """Returns the expression of the next element of the dataset that a call returns."""
        iterator = cst.Call(cst.parse_expression(tf + ".data.make_one_shot_iterator"), [cst.Arg(call)])
        return cst.Call(cst.Attribute(iterator, cst.Name("get_next")))
