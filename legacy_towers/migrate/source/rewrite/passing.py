"""Examples that are passed to functions of the project, and returned by them.

A function that batches what it is given takes the dataset instead; one that returns what it reads returns the dataset.
"""
import functools
from typing import Any, Callable, Dict, List, Optional, Sequence, Set, Tuple

import libcst as cst

from legacy_towers.migrate.source.rewrite import calls_apart
from legacy_towers.migrate.source.rewrite.drafts import Draft, Irregular
from legacy_towers.migrate.source.rewrite.entries import Entry
from legacy_towers.migrate.source.rewrite.examples import Element, Roots, is_dict, returns_of
from legacy_towers.migrate.source.rewrite.functions import Calls
from legacy_towers.migrate.source.rewrite.joins import Join, Joins
from legacy_towers.migrate.source.rewrite.names import name_of, names_of, parameters, targets
from legacy_towers.migrate.source.rewrite.origins import outermost
from legacy_towers.migrate.source.rewrite.scope import Scope, literal
from legacy_towers.migrate.source.rewrite.syntax import LOOPS, arguments, statements_of
from legacy_towers.migrate.source.rewrite.zipped_calls import entries_of, write_zip
from legacy_towers.migrate.source.values import Site

# Longer lines are broken.
_LONGEST = 110


class Passing:
    """Writes the functions that take and return the examples of a pipeline.

    Args:
      calls: its functions and calls.
      joins: its lists of examples.
      read: the call that reads.
      follow: goes from where code gets examples to what takes them.
      is_taken: returns whether something batches, passes on, keeps or returns the examples that code gets.
      is_one_example: returns whether what code gets in several places is put together before it is batched.
    """

    def __init__(
        self, calls: Calls, joins: Joins, read: Site, follow: Callable[[Entry], None],
        is_taken: Callable[[Entry], bool], is_one_example: Callable[[Sequence[Entry]], bool],
    ) -> None:
        self._calls = calls
        self._joins = joins
        self.read = read
        self._follow = follow
        self._is_taken = is_taken
        self._is_one_example = is_one_example
        # Call of a function that reads -> the names of what it returns, and how many functions have returned it.
        self._returned: Dict[cst.Call, Roots] = {}
        self._written: Dict[cst.Call, int] = {}
        # The statement that gets examples from a function -> its dataset; an `if` -> the calls in its branches.
        self._datasets: Dict[Any, str] = {}
        self._expected: Dict[Any, List[cst.Call]] = {}

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

    def write_return(
        self, entry: Entry, statement: Any, element: Element, is_initialized: bool = False,
        listed: Optional[Join] = None, beside: Sequence[int] = (),
    ) -> None:
        """Writes what a function returns, and goes on where it is called.

        Args:
          entry: where the function gets examples.
          statement: its return statement.
          element: what it returns.
          is_initialized: whether the dataset needs a table.
          listed: the list of examples that it returns, None if it returns one example.
          beside: the places of what it returns beside the example: `return image, len(files)`.
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
        more = [statement.value.elements[each].value for each in beside]
        if more and not callers:
            raise Irregular(self.read, "nothing in the project calls the function that reads, and it returns more than "
                            "an example", source.line(statement))
        if not callers:
            # It gives an example to code of other projects, as before.
            if is_initialized:
                raise Irregular(self.read, "nothing in the project calls the function that reads, and it computes "
                                "examples with a table", source.line(entry.function))
            example = self._calls.next_element(entry.dataset, self._calls.tensorflow(scope, self.read))
            is_list = isinstance(scope.resolved(statement.value), cst.List)
            edits.replace(statement.value, cst.Call(cst.Name("list"), [cst.Arg(example)]) if is_list else example)
            return
        returns_dict = is_dict(self._calls.shown(entry.draft, scope.resolved(statement.value)), scope)
        edits.replace(statement.value, _with_more(entry.dataset, more))
        function = self._calls.of_node(entry.draft, entry.function)
        if len(callers) > 1:
            self._calls.is_only_pipeline = False
        for together in entries_of(callers) if listed is None and not more else ():
            if self._is_one_example(together):
                zipped = [each.statement.value for each in together]
                for draft, call in [each for each in callers if each[1] in zipped]:
                    self._calls.handled(draft, call, function)
                    callers.remove((draft, call))
                self._follow(write_zip(self._calls, self.read, together, element, returns_dict))
        for draft, call in callers:
            self._calls.handled(draft, call, function)
            join = self._joins.of_value(call) if call in self._calls.passed else None
            if join is not None:
                self._write_list(draft, call, join, element, returns_dict)
                continue
            caller = draft.source.statement(call)
            if not isinstance(caller, cst.Assign) or caller.value is not call or len(caller.targets) != 1:
                raise Irregular(self.read, calls_apart.REASON, draft.source.line(caller))
            found = targets(caller)
            if more and len(found) != element.size + len(more):
                raise Irregular(self.read, "the source does not show what is returned", draft.source.line(caller))
            kept = [found[each] for each in beside]
            found = [each for each in found if all(each is not one for one in kept)]
            if not all(map(name_of, found)):
                raise Irregular(self.read, "the result of the function that reads is kept in an object",
                                draft.source.line(caller))
            names = tuple(map(name_of, found))
            is_all = len(names) == 1 and (element.size > 1 or listed is not None and element.is_all)
            if listed is not None and (len(names) != 1 or len(callers) > 1):
                raise Irregular(self.read, "it returns a list", source.line(statement))
            if not is_all and len(names) != element.size:
                raise Irregular(self.read, "the source does not show what is returned", draft.source.line(caller))
            there = draft.source.function(caller)
            entry = Entry(draft, there, caller, Roots(names, is_all, returns_dict and len(names) == 1), False, "")
            scope = Scope(draft.source, there)
            if listed is not None:
                self._joins.returns(listed, entry.roots)
            if self._is_returned(call, entry):
                continue
            if more and not self._is_taken(entry):
                raise Irregular(self.read, "it returns more than an example, which is not batched",
                                draft.source.line(caller))
            if not self._is_taken(entry):
                branches = self._branches(draft, caller, names)
                chosen = entry._replace(statement=branches)
                if branches is None or not self._is_taken(chosen):
                    # It uses single examples: each call of the function reads for itself.
                    draft.edits.replace(call, functools.partial(self._next, self._calls.tensorflow(scope, self.read)))
                    continue
                entry = chosen
            dataset = self._datasets.get(entry.statement) or self._calls.passed.get(call, ("", ""))[0]
            dataset = self._datasets.setdefault(entry.statement, dataset or self._calls.dataset_name(scope))
            draft.edits.replace(caller.targets[0], cst.AssignTarget(_with_more(dataset, kept)))
            self._follow(entry._replace(dataset=dataset))

    def _is_returned(self, call: cst.Call, entry: Entry) -> bool:
        """Returns whether another function that the call may be of has returned these examples before."""
        before = self._returned.setdefault(call, entry.roots)
        if before != entry.roots:
            raise Irregular(self.read, "the functions that read return different parts",
                            entry.draft.source.line(entry.statement))
        self._written[call] = self._written.get(call, 0) + 1
        return self._written[call] > 1

    def _write_list(self, draft: Draft, call: cst.Call, join: Join, element: Element, returns_dict: bool) -> None:
        """Writes the dataset of a list of what functions return that read: `[read(queue) for _ in range(4)]`."""
        source = draft.source
        name = self._joins.name_of(join)
        if not name or join.counter:
            raise Irregular(self.read, "its examples are in a list that the source does not show", source.line(call))
        there = source.function(join.statement)
        roots = Roots((name,), element.size > 1 or element.is_all, returns_dict)
        dataset, several = self._calls.passed[call]
        entry = Entry(draft, there, join.statement, roots, False, dataset)
        if self._is_returned(call, entry):
            return
        self._joins.returns(join, roots)

        def written() -> List[Any]:
            text = source.code(draft.edits.done(call)).strip()
            if several:
                line = "{0} = {0}.interleave({3}lambda filename: {1}, cycle_length={2})"
                is_long = len(line.format(dataset, text, several, "")) > _LONGEST
                return source.parse(line.format(dataset, text, several, "\n    " if is_long else ""))
            return source.parse("{} = {}".format(dataset, text))

        draft.edits.insert_before(self._joins.place(source, join.statement), written)
        self._follow(entry)

    def _branches(self, draft: Draft, caller: Any, names: Sequence[str]) -> Optional[cst.If]:
        """Returns the `if` of which each branch binds `names` to what a function returns, None if there is none."""
        source = draft.source
        around = source.parents.get(source.block(caller))
        around = source.parents[around] if isinstance(around, cst.Else) else around
        if not isinstance(around, cst.If):
            return None
        found = outermost(source, around)
        code = source.code(caller.targets[0].target)
        calls: List[cst.Call] = []
        branch: Any = found
        while isinstance(branch, (cst.If, cst.Else)):
            statements = statements_of(branch.body)
            bound = [each for each in statements if isinstance(each, cst.Assign) and len(each.targets) == 1 and (
                isinstance(each.value, cst.Call) and source.code(each.targets[0].target) == code)]
            others = names_of(*[each for each in statements if each not in bound])
            if not isinstance(statements[-1], cst.Raise) and len(bound) != 1 or (
                (others.read | others.bound) & set(names)
            ):
                return None
            calls += [each.value for each in bound if isinstance(each.value, cst.Call)]
            if isinstance(branch, cst.If) and branch.orelse is None:
                return None
            branch = branch.orelse if isinstance(branch, cst.If) else None
        self._expected[found] = calls
        return found

    def check_branches(self) -> None:
        """Raises Irregular if a branch of an `if` does not read as the other ones do."""
        for calls in (each for found, each in self._expected.items() if found in self._datasets):
            if any(each not in self._returned for each in calls):
                raise Irregular(self.read, "one branch reads its examples, and another one makes them otherwise")

    @staticmethod
    def _next(tf: str, call: cst.Call) -> cst.BaseExpression:
        """Returns the expression of the next element of the dataset that a call returns."""
        iterator = cst.Call(cst.parse_expression(tf + ".data.make_one_shot_iterator"), [cst.Arg(call)])
        return cst.Call(cst.Attribute(iterator, cst.Name("get_next")))


def _with_more(dataset: str, more: Sequence[Any]) -> Any:
    """Returns the expression of a dataset, with others after it."""
    if not more:
        return cst.Name(dataset)
    parts = [cst.Name(dataset)] + list(more)
    return cst.Tuple([cst.Element(each) for each in parts], lpar=[], rpar=[])
