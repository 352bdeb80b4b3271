"""Lists of examples that batch_join or shuffle_batch_join takes, where one piece of code gives all of them.

    examples = [read(queue) for _ in range(4)]              [parse(record) for _ in range(4)], [[image, label]] * 4

    examples = []                                           the same, one after the other
    for _ in range(4):
        image, label = read(queue)
        examples.append([image, label])

Where the code in the list reads, several files are read at a time; where it computes only, several threads compute.
Where an example depends on the number of the loop, examples get these numbers in turn (`turns`).
"""
import functools
from typing import Any, Dict, List, NamedTuple, Optional, Sequence

import libcst as cst

from legacy_towers.migrate.source.rewrite.drafts import Draft, Irregular
from legacy_towers.migrate.source.rewrite.examples import Element, Roots, columns
from legacy_towers.migrate.source.rewrite.functions import Calls, uses_of
from legacy_towers.migrate.source.rewrite.names import dotted, names_of
from legacy_towers.migrate.source.rewrite.passed_lists import (
    Passed,
    check_only_joined,
    lists_of_callers,
    passed_list,
    returned_list,
    uses_of_list,
    why_not_shown,
)
from legacy_towers.migrate.source.rewrite.region import in_order, is_transparent
from legacy_towers.migrate.source.rewrite.repeated import (
    check_same,
    counted,
    is_around,
    is_print,
    is_unread,
    joined_list,
    lengths_in,
    repeated_in,
)
from legacy_towers.migrate.source.rewrite.scope import Scope
from legacy_towers.migrate.source.rewrite.syntax import LOOPS
from legacy_towers.migrate.source.rewrite.taken import Taken
from legacy_towers.migrate.source.values import Site

_END = "_join"
_READING = ("tf.ReaderBase.", "tf.QueueBase.", "tf.train.slice_input_producer")


class Join(NamedTuple):
    """A list of examples.

    Attributes:
      site: the call that joins it.
      call: the call that takes it: this one, or one of a function that joins.
      draft: the file.
      value: the expression of one example.
      number: the expression of their number.
      statement: the statement that has `value`; None: the list is in the call itself.
      loop: the loop that has the statement, None of another list.
      counter: the name of the number that examples depend on, "" where all are alike.
    """

    site: Site
    call: cst.Call
    draft: Draft
    value: Any
    number: str
    statement: Any
    loop: Any
    counter: str = ""


class Joins:
    """The lists of examples of a pipeline.

    Args:
      calls: the functions and calls of the pipeline.
      sites: its calls.
    """

    def __init__(self, calls: Calls, sites: Sequence[Site]) -> None:
        self._calls = calls
        joining = [site for site in sites if site.name.endswith(_END)]
        self._calls_of_sites = [calls.call(site) for site in sites if site.name.startswith(_READING)]
        self._found: List[Join] = []
        self._reading: List[Join] = []
        # Lists of what functions return that read -> the names of one of their elements.
        self._returned: Dict[cst.Call, Roots] = {}
        # Statement of a function that returns a list of examples -> the list.
        self._returning: Dict[Any, Join] = {}
        # Functions that get a list of examples, by the call that joins it.
        self._passed: Dict[cst.Call, Passed] = {}
        places = [(site, calls.draft(site.path), calls.call(site)) for site in joining]
        # The expressions of lists that are joined, or passed to functions which join them.
        self._lists = [joined_list(call) for _, _, call in places]
        for site, draft, call in places:
            self._add(site, draft, call, joined_list(call))
        callers = [(each.site, place) for each in self._passed.values() for place in lists_of_callers(calls, each)]
        self._lists += [value for _, (_, _, value) in callers]
        for site, (draft, call, value) in callers:
            if self.of(call) is None and self._add(site, draft, call, value) is None:
                raise Irregular(site, why_not_shown(draft, call, value), draft.source.line(call))
        for each in self._passed.values():
            check_only_joined(each, [
                one for one in uses_of_list(each) if not self._is_joined(each.defined.draft.source, one)
                and not self._is_gone_over(each.defined.draft.source, one)
            ])

    def _add(self, site: Site, draft: Draft, call: cst.Call, tensors: Any) -> Optional[Join]:
        """Adds the list that a call takes, and returns it; None if it is not shown or is a parameter."""
        passed = passed_list(self._calls, site, draft, call, tensors, None) if call is self._calls.call(site) else None
        if passed is not None:
            self._passed[call] = passed
            return None
        found = self._join(site, draft, call, tensors)
        if found is None:
            found = self._of_function(site, draft, call, tensors)
        if found is not None:
            self._found.append(found)
        return found

    def _of_function(self, site: Site, draft: Draft, call: cst.Call, tensors: Any) -> Optional[Join]:
        """Returns the list that a function of the project makes and returns, None if the source does not show one."""
        returned = returned_list(self._calls, draft, call, tensors, functools.partial(self._is_joined, draft.source))
        if returned is None:
            return None
        defined, statement = returned
        value = statement.value
        repeated = repeated_in(value)
        if repeated is None:
            made = self._join(site, defined.draft, call, value, statement)
        else:
            if isinstance(value, cst.ListComp):
                check_same(site, defined.draft, value.elt)
            made = Join(site, call, defined.draft, repeated[0], defined.draft.source.code(repeated[1]), statement, None,
                        repeated[2])
        if made is None or made.statement is None:
            return None
        self._returning[statement] = made
        return made

    def returned_by(self, statement: Any) -> Optional[Join]:
        """Returns the list of examples that a statement returns, None if it returns none."""
        return self._returning.get(statement)

    def _join(
        self, site: Site, draft: Draft, call: cst.Call, tensors: Any, returned: Any = None
    ) -> Optional[Join]:
        """Returns the list that a call takes, or that a function returns by the statement `returned`."""
        source = draft.source
        repeated = repeated_in(tensors)
        if repeated is not None:
            if isinstance(tensors, cst.ListComp):
                check_same(site, draft, tensors.elt)
            return Join(site, call, draft, repeated[0], source.code(repeated[1]), None, None, repeated[2])
        if isinstance(tensors, (cst.List, cst.Tuple)) and len(tensors.elements) == 1:
            return Join(site, call, draft, tensors.elements[0].value, "1", None, None)
        if not isinstance(tensors, cst.Name):
            return None
        function = source.function(call if returned is None else returned)
        body = function.body if function is not None else source.module
        values = Scope(source, function).assigned(tensors.value)
        if len(values) != 1:
            return None
        (value,) = values
        statement = source.statement(value)
        if source.function(statement) is not function:
            return None
        # Other batchers may take the list, too, such as those of training and of evaluation.
        uses = [each for each in uses_of(source, body, tensors.value)
                if not self._is_joined(source, each) and each is not tensors]
        repeated = repeated_in(value)
        lengths = lengths_in(source, uses)
        if repeated is not None and len(uses) == len(lengths) and (not uses or isinstance(repeated[1], cst.Integer)):
            if isinstance(value, cst.ListComp):
                check_same(site, draft, value.elt)
            for each in lengths.values():
                draft.edits.replace(each, repeated[1])
            draft.edits.remove(statement)
            return Join(site, call, draft, repeated[0], source.code(repeated[1]), statement, None, repeated[2])
        is_empty = isinstance(value, cst.List) and not value.elements or (
            isinstance(value, cst.Call) and dotted(value.func) == "list" and not value.args
        )
        return self._appended(site, call, draft, statement, uses) if is_empty and len(uses) == 1 else None

    def _is_joined(self, source: Any, use: Any) -> bool:
        """Returns whether a name is a list that a call joins, or that is passed to a function which joins it."""
        return any(use is each for each in self._lists)

    def _is_gone_over(self, source: Any, use: Any) -> bool:
        """Returns whether a name is what the loop of a list goes over."""
        return any(each.loop is not None and each.loop.iter is use for each in self._found)

    def _appended(self, site: Site, call: cst.Call, draft: Draft, made: Any, uses: List[Any]) -> Optional[Join]:
        """Returns the list that a loop fills."""
        source = draft.source
        append: Any = source.parents[source.parents[uses[0]]]
        statement = source.statement(uses[0])
        loop = next((each for each in source.above(statement) if isinstance(each, (
            cst.For, cst.While, cst.FunctionDef))), None)
        is_append = isinstance(append, cst.Call) and isinstance(statement, cst.Expr) and statement.value is append and (
            append.func is source.parents[uses[0]] and append.func.attr.value == "append" and len(append.args) == 1
        )
        if is_append and not isinstance(loop, LOOPS) and source.block(statement) is source.block(made):
            # A list of one.
            draft.edits.remove(made)
            draft.edits.remove(statement)
            return Join(site, call, draft, append.args[0].value, "1", statement, None)
        if not is_append or not isinstance(loop, cst.For) or loop.orelse is not None:
            return None
        count = counted(loop.iter)
        passed = None
        if call is self._calls.call(site):
            passed = passed_list(self._calls, site, draft, call, loop.iter, loop.target)
        if passed is None and (count is None or not isinstance(loop.target, cst.Name)):
            return None
        if statement not in in_order(loop.body):
            return None
        if source.block(loop) is not source.block(made) and not is_around(source, made, loop):
            return None
        counter, number = "", "1"
        if passed is not None:
            self._passed[call] = passed
        else:
            counter, number = self._counter(site, draft, loop), source.code(count)
        check_same(site, draft, loop.body)
        draft.edits.remove(made)
        draft.edits.remove(statement)
        return Join(site, call, draft, append.args[0].value, number, statement, loop, counter)

    def _counter(self, site: Site, draft: Draft, loop: cst.For) -> str:
        """Returns the name of the number of the loop, "" if examples do not depend on it."""
        target: Any = loop.target
        unread = []
        for use in uses_of(draft.source, loop.body, target.value):
            above = draft.source.above(use)
            if any(is_print(each) or isinstance(each, cst.WithItem) and is_transparent(draft.source.parents[each])
                   for each in above):
                continue
            argument = draft.source.parents[use]
            call: Any = draft.source.parents[argument]
            defined = self._calls.function_of(draft, call) if isinstance(call, cst.Call) else None
            if any(each is one for each in above for one in self._calls_of_sites):
                raise Irregular(site, "its examples are read by {!r}, the number of the loop that makes them: read all "
                                "of them alike".format(target.value), draft.source.line(use))
            if defined is None or not is_unread(defined, call, argument):
                return str(target.value)
            unread.append(use)
        for use in unread:
            draft.edits.replace(use, cst.Integer("0"))
        return ""

    @property
    def loops(self) -> List[Any]:
        """The loops that fill lists: their statements are looked at as if they stood in the block around."""
        return [each.loop for each in self._found if each.loop is not None]

    def is_value(self, node: Any) -> bool:
        """Returns whether an expression is that of one of the examples in a list."""
        return any(node is each.value for each in self._found)

    def of_value(self, node: Any) -> Optional[Join]:
        """Returns the list whose elements an expression is, None if there is none."""
        return next((each for each in self._found if node is each.value), None)

    def name_of(self, join: Join) -> str:
        """Returns the name by which a call takes a list; "" where it is in the call, or made in another function."""
        tensors, source = joined_list(join.call), join.draft.source
        is_here = join.statement is not None and source.function(join.statement) is source.function(join.call)
        return str(tensors.value) if is_here and isinstance(tensors, cst.Name) else ""

    def returns(self, join: Join, roots: Roots) -> None:
        """Records that the elements of a list are what a function returns that reads, and their names."""
        self._reading.append(join)
        self._returned[join.call] = roots

    def place(self, source: Any, statement: Any) -> Any:
        """Returns the loop that a statement is in, or else the statement."""
        loops = self.loops
        return next((each for each in source.above(statement) if any(each is one for one in loops)), statement)

    def taken(self, draft: Draft, taken: Taken) -> Taken:
        """Returns what takes the result of a reader, without the list that it is put into."""
        join = self._around(draft, taken.statement)
        if join is None:
            return taken
        self._reading.append(join)
        if taken.statement is not join.statement or isinstance(join.statement, cst.Return):
            return taken
        if taken.expression is not join.value:
            if taken.expression is None or join.value not in draft.source.above(taken.expression):
                raise Irregular(join.site, "the source does not show what its readers give",
                                draft.source.line(taken.statement))
            draft.edits.replace(taken.expression, cst.Name(taken.roots.names[0]))
        return Taken(taken.statement, taken.roots, None, "")

    def readers_of(self, draft: Draft, statement: Any) -> str:
        """Returns the expression of the number of readers, where a statement reads for a join; "" for one."""
        join = self._around(draft, statement)
        return join.number if join is not None and join.number != "1" else ""

    def _around(self, draft: Draft, statement: Any) -> Optional[Join]:
        chain = [statement] + draft.source.above(statement)
        return next((each for each in self._found if self._is_inline(each, draft, statement) or any(
            each.statement is one or each.loop is one for one in chain if one is not None)), None)

    def _is_inline(self, join: Join, draft: Draft, statement: Any) -> bool:
        """Returns whether a list is in the call of a statement that also reads."""
        source = draft.source
        return join.statement is None and join.draft.source is source and (
            source.statement(join.call) is statement)

    def threads(self, call: cst.Call) -> str:
        """Returns the expression of the number of threads that compute what a call takes, "" for one."""
        join = self.of(call)
        return join.number if join is not None and join not in self._reading and join.number != "1" else ""

    def are_read_apart(self, call: cst.Call) -> bool:
        """Returns whether the examples that a call takes are of several readers or reads."""
        join = self.of(call)
        return join is not None and join in self._reading and join.number != "1"

    def turns(self, call: cst.Call) -> Optional[Join]:
        """Returns the list that a call takes if its examples depend on a number; None otherwise."""
        join = self.of(call)
        if join is None or not join.counter:
            return None
        if join in self._reading:
            # The number is that of a reader, whose files have it.
            uses = uses_of(join.draft.source, join.loop or join.value, join.counter)
            raise Irregular(join.site, "its examples differ by {!r}, the number of the loop that reads them: compute "
                            "all of them alike".format(join.counter), join.draft.source.line(uses[0]))
        return join

    def value_of(self, call: cst.Call) -> Any:
        """Returns the expression of one of the examples that a call takes, None where its list is in the call."""
        join = self.of(call)
        return join.value if join is not None else None

    def of(self, call: cst.Call) -> Optional[Join]:
        """Returns the list that a call joins, or that it passes to a function which does; None without a list."""
        return next((each for each in self._found if each.call is call), None)

    def passed(self, function: Any) -> Optional[Passed]:
        """Returns the list of examples that a function gets, None if it gets none."""
        return next((each for each in self._passed.values() if each.defined.node is function), None)

    def joined(self, site: Site, call: cst.Call, tensors: Any, roots: Roots) -> Any:
        """Returns what a call takes an example from: the list of its tensors, or the Element that each gives.

        Args:
          site: the call that joins.
          call: this call, or one of a function that joins.
          tensors: the list that the call takes.
          roots: the names of an example.
        """
        join = self.of(call)
        if join is None:
            if call in self._passed and roots.names == (self._passed[call].parameter,):
                return Element(roots.names, set(roots.names), roots.is_all)
            raise Irregular(site, "the source does not show what it joins")
        if call in self._returned:
            returned = self._returned[call]
            return Element(returned.names, set(returned.names), returned.is_all)
        if tensors is not None and any(join is each for each in self._returning.values()):
            # The function that returns the list does not read.
            raise Irregular(site, "the source does not show what it joins")
        value = join.value
        if isinstance(value, (cst.List, cst.Tuple, cst.Dict)):
            return join.draft.edits.done(value)
        source = join.draft.source
        called = Scope(source, source.function(value)).resolved(value)
        if not isinstance(called, cst.Call):
            return value
        shown = self._calls.shown(join.draft, called)
        done = join.draft.edits.done(value)
        text, names = source.code(done).strip(), names_of(done).read
        if columns(shown, Scope(source, source.function(value))) > 1:
            return Element(("tuple({})".format(text),), names, True)
        if not isinstance(shown, (cst.Tuple, cst.List)):
            raise Irregular(site, "the source does not show what it joins")
        if len(shown.elements) == 1:
            return Element((text + "[0]",), names)
        return Element((text if isinstance(shown, cst.Tuple) else "tuple({})".format(text),), names, True)

    def remove_loops(self) -> None:
        """Removes the loops, whose statements are moved."""
        for join in self._found:
            if join.loop is None:
                continue
            left = [each for each in in_order(join.loop.body) if not join.draft.edits.is_removed(each)]
            own = names_of(*(each for each in in_order(join.loop.body) if each not in left)).bound
            for each in left:
                if not is_print(each) or names_of(each).read & own or counted(join.loop.iter) is None:
                    raise Irregular(join.site, "the loop that makes its examples does something else, too",
                                    join.draft.source.line(each))
            if not left:
                join.draft.edits.remove(join.loop)
