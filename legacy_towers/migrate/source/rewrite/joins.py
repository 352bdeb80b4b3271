"""Lists of examples that batch_join or shuffle_batch_join takes, where one piece of code gives all of them.

    examples = [read(queue) for _ in range(4)]              [parse(record) for _ in range(4)], [[image, label]] * 4

    examples = []                                           the same, one after the other
    for _ in range(4):
        image, label = read(queue)
        examples.append([image, label])

Where the code in the list reads, several files are read at a time; where it computes only, several threads compute.
Where an example depends on the number of the loop, examples get these numbers in turn (`turns`).
"""
from typing import Any, List, NamedTuple, Optional, Sequence

import libcst as cst

from legacy_towers.migrate.source.rewrite.checks import calls_in
from legacy_towers.migrate.source.rewrite.drafts import Draft, Irregular
from legacy_towers.migrate.source.rewrite.examples import Element, columns
from legacy_towers.migrate.source.rewrite.functions import Calls, uses_of
from legacy_towers.migrate.source.rewrite.names import dotted, names_of
from legacy_towers.migrate.source.rewrite.region import in_order, is_transparent
from legacy_towers.migrate.source.rewrite.scope import Scope, literal
from legacy_towers.migrate.source.rewrite.syntax import arguments, statements_of
from legacy_towers.migrate.source.rewrite.taken import Taken
from legacy_towers.migrate.source.values import Site

_RANGES = ("range", "xrange", "six.moves.range", "six.moves.xrange")
_END = "_join"
_READING = ("tf.ReaderBase.", "tf.QueueBase.", "tf.train.slice_input_producer")
# What gives another result in each run of a loop.
_DIFFERENT = ("next", "random.", "np.random.", "numpy.random.")


class Join(NamedTuple):
    """A list of examples.

    Attributes:
      site: the call that takes it.
      draft: the file.
      value: the expression of one example.
      number: the expression of their number.
      statement: the statement that has `value`; None: the list is in the call itself.
      loop: the loop that has the statement, None of another list.
      counter: the name of the number that examples depend on, "" where all are alike.
    """

    site: Site
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
        self._joining = [calls.call(site) for site in sites if site.name.endswith(_END)]
        self._calls_of_sites = [calls.call(site) for site in sites if site.name.startswith(_READING)]
        self._found: List[Join] = []
        self._reading: List[Join] = []
        for site in sites:
            if site.name.endswith(_END):
                found = self._join(site)
                if found is not None:
                    self._found.append(found)

    def _join(self, site: Site) -> Optional[Join]:
        call = self._calls.call(site)
        draft = self._calls.draft(site.path)
        source = draft.source
        given = arguments(call, ("tensors_list",) + tuple(each.keyword.value for each in call.args if each.keyword and (
            each.keyword.value != "tensors_list")))
        tensors: Any = call.args[0].value if call.args and call.args[0].keyword is None else (given or {}).get(
            "tensors_list")
        repeated = _repeated(tensors)
        if repeated is not None:
            if isinstance(tensors, cst.ListComp):
                _check_same(site, draft, tensors.elt)
            return Join(site, draft, repeated[0], source.code(repeated[1]), None, None, repeated[2])
        if not isinstance(tensors, cst.Name):
            return None
        function = source.function(call)
        body = function.body if function is not None else source.module
        values = Scope(source, function).assigned(tensors.value)
        if len(values) != 1:
            return None
        (value,) = values
        statement = source.statement(value)
        if source.function(statement) is not function:
            return None
        # Other batchers may take the list, too, such as those of training and of evaluation.
        uses = [each for each in uses_of(source, body, tensors.value) if not self._is_joined(source, each)]
        repeated = _repeated(value)
        if repeated is not None and not uses:
            if isinstance(value, cst.ListComp):
                _check_same(site, draft, value.elt)
            draft.edits.remove(statement)
            return Join(site, draft, repeated[0], source.code(repeated[1]), statement, None, repeated[2])
        is_empty = isinstance(value, cst.List) and not value.elements or (
            isinstance(value, cst.Call) and dotted(value.func) == "list" and not value.args
        )
        return self._appended(site, draft, statement, uses) if is_empty and len(uses) == 1 else None

    def _is_joined(self, source: Any, use: Any) -> bool:
        """Returns whether a name is the list that a call joins."""
        argument: Any = source.parents[use]
        call: Any = source.parents[argument]
        if not isinstance(argument, cst.Arg) or not any(call is each for each in self._joining):
            return False
        return call.args[0] is argument or argument.keyword is not None and argument.keyword.value == "tensors_list"

    def _appended(self, site: Site, draft: Draft, made: Any, uses: List[Any]) -> Optional[Join]:
        """Returns the list that a loop fills."""
        source = draft.source
        append: Any = source.parents[source.parents[uses[0]]]
        statement = source.statement(uses[0])
        loop = next((each for each in source.above(statement) if isinstance(each, (
            cst.For, cst.While, cst.FunctionDef))), None)
        is_append = isinstance(append, cst.Call) and isinstance(statement, cst.Expr) and statement.value is append and (
            append.func is source.parents[uses[0]] and append.func.attr.value == "append" and len(append.args) == 1
        )
        if not is_append or not isinstance(loop, cst.For) or loop.orelse is not None:
            return None
        count = counted(loop.iter)
        if count is None or not isinstance(loop.target, cst.Name) or statement not in in_order(loop.body):
            return None
        if source.block(loop) is not source.block(made) and not _is_around(source, made, loop):
            return None
        counter = self._counter(site, draft, loop)
        _check_same(site, draft, loop.body)
        draft.edits.remove(made)
        draft.edits.remove(statement)
        return Join(site, draft, append.args[0].value, source.code(count), statement, loop, counter)

    def _counter(self, site: Site, draft: Draft, loop: cst.For) -> str:
        """Returns the name of the number of the loop, "" if examples do not depend on it."""
        target: Any = loop.target
        unread = []
        for use in uses_of(draft.source, loop.body, target.value):
            above = draft.source.above(use)
            if any(isinstance(each, cst.WithItem) and is_transparent(draft.source.parents[each]) for each in above):
                continue
            argument = draft.source.parents[use]
            call: Any = draft.source.parents[argument]
            defined = self._calls.function_of(draft, call) if isinstance(call, cst.Call) else None
            if any(each is one for each in above for one in self._calls_of_sites):
                raise Irregular(site, "its examples are read by {!r}, the number of the loop that makes them: read all "
                                "of them alike".format(target.value), draft.source.line(use))
            if defined is None or not _is_unread(defined, call, argument):
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
        if taken.statement is not join.statement:
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
        return join.number if join is not None else ""

    def _around(self, draft: Draft, statement: Any) -> Optional[Join]:
        chain = [statement] + draft.source.above(statement)
        return next((each for each in self._found if self._is_inline(each, draft, statement) or any(
            each.statement is one or each.loop is one for one in chain if one is not None)), None)

    def _is_inline(self, join: Join, draft: Draft, statement: Any) -> bool:
        """Returns whether a list is in the call of a statement that also reads."""
        source = draft.source
        return join.statement is None and join.draft.source is source and (
            source.statement(self._calls.call(join.site)) is statement)

    def threads(self, site: Site) -> str:
        """Returns the expression of the number of threads that compute what a join takes, "" for one."""
        join = self._of(site)
        return join.number if join is not None and join not in self._reading and join.number != "1" else ""

    def turns(self, site: Site) -> Optional[Join]:
        """Returns the list that a call takes if its examples depend on a number; None otherwise."""
        join = self._of(site)
        if join is None or not join.counter:
            return None
        if join in self._reading:
            # The number is that of a reader, whose files have it.
            uses = uses_of(join.draft.source, join.loop or join.value, join.counter)
            raise Irregular(site, "its examples differ by {!r}, the number of the loop that reads them: compute all of "
                            "them alike".format(join.counter), join.draft.source.line(uses[0]))
        return join

    def value_of(self, site: Site) -> Any:
        """Returns the expression of one of the examples that a call takes, None where its list is in the call."""
        join = self._of(site)
        return join.value if join is not None else None

    def _of(self, site: Site) -> Optional[Join]:
        return next((each for each in self._found if each.site is site), None)

    def joined(self, site: Site, tensors: Any) -> Any:
        """Returns what a join takes an example from: the list of its tensors, or the Element that each gives."""
        join = self._of(site)
        if join is None:
            if isinstance(tensors, (cst.List, cst.Tuple)) and len(tensors.elements) == 1:
                return tensors.elements[0].value
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
            for each in in_order(join.loop.body):
                if not join.draft.edits.is_removed(each):
                    raise Irregular(join.site, "the loop that makes its examples does something else, too",
                                    join.draft.source.line(each))
            join.draft.edits.remove(join.loop)


def _check_same(site: Site, draft: Draft, code: Any) -> None:
    """Raises Irregular if code that makes each example may do something else for each."""
    for call in calls_in(code):
        if dotted(call.func).startswith(_DIFFERENT):
            raise Irregular(site, "its examples differ by {}, which Python computes for each of them".format(
                dotted(call.func)), draft.source.line(call))


def _repeated(node: Any) -> Any:
    """Returns (element, how many, name of the number in it or "") of a list of one expression, None of another."""
    if isinstance(node, cst.ListComp):
        loop = node.for_in
        count = counted(loop.iter)
        if count is None or loop.ifs or loop.inner_for_in is not None or not isinstance(loop.target, cst.Name):
            return None
        return node.elt, count, loop.target.value if loop.target.value in names_of(node.elt).read else ""
    if isinstance(node, cst.BinaryOperation) and isinstance(node.operator, cst.Multiply):
        if isinstance(node.left, cst.List) and len(node.left.elements) == 1:
            return node.left.elements[0].value, node.right, ""
    return None


def counted(node: Any) -> Any:
    """Returns the number of what a `for` goes over, None if it is not range(number)."""
    if not isinstance(node, cst.Call) or dotted(node.func) not in _RANGES:
        return None
    if len(node.args) == 2 and literal(node.args[0].value) == "0":
        return node.args[1].value
    return node.args[0].value if len(node.args) == 1 else None


def _is_around(source: Any, made: Any, loop: Any) -> bool:
    """Returns whether a loop is in the block of a statement, seen through `with` statements of scopes and devices."""
    block = source.block(loop)
    while block is not source.block(made):
        around = source.parents.get(block)
        if not is_transparent(around):
            return False
        block = source.block(around)
    return True


def _is_unread(defined: Any, call: cst.Call, argument: Any) -> bool:
    """Returns whether a function does not read the parameter that an argument is passed to."""
    order = [each.name.value for each in defined.node.params.params][1 if defined.is_method else 0 :]
    given = arguments(call, order)
    name = next((name for name, value in (given or {}).items() if value is argument.value), None)
    return name is not None and name not in names_of(*statements_of(defined.node.body)).read
