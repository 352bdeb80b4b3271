"""Lists and loops in which one piece of code gives each of the elements."""
from typing import Any, Dict, Sequence

import libcst as cst

from legacy_towers.migrate.source.rewrite.checks import calls_in
from legacy_towers.migrate.source.rewrite.drafts import Draft, Irregular
from legacy_towers.migrate.source.rewrite.names import dotted, names_of
from legacy_towers.migrate.source.rewrite.region import is_transparent
from legacy_towers.migrate.source.rewrite.scope import literal
from legacy_towers.migrate.source.rewrite.syntax import LOOPS, arguments, statements_of
from legacy_towers.migrate.source.values import Site

_RANGES = ("range", "xrange", "six.moves.range", "six.moves.xrange")
# What gives another result in each run of a loop.
_DIFFERENT = ("next", "random.", "np.random.", "numpy.random.")


def check_same(site: Site, draft: Draft, code: Any) -> None:
    """Raises Irregular if code that makes each example may do something else for each."""
    for call in calls_in(code):
        if dotted(call.func).startswith(_DIFFERENT):
            raise Irregular(site, "its examples differ by {}, which Python computes for each of them".format(
                dotted(call.func)), draft.source.line(call))


def repeated_in(node: Any) -> Any:
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


def is_print(statement: Any) -> bool:
    """Returns whether a statement only prints."""
    call = statement.value if isinstance(statement, cst.Expr) else None
    return isinstance(call, cst.Call) and dotted(call.func) == "print"


def lengths_in(source: Any, uses: Sequence[Any]) -> Dict[Any, cst.Call]:
    """Returns use -> call, of those uses of a name in `len(name)` that no loop repeats."""
    found: Dict[Any, cst.Call] = {}
    for use in uses:
        call: Any = source.parents[source.parents[use]]
        is_length = isinstance(call, cst.Call) and dotted(call.func) == "len" and len(call.args) == 1
        if is_length and not any(isinstance(each, LOOPS) for each in source.above(call)):
            found[use] = call
    return found


def counted(node: Any) -> Any:
    """Returns the number of what a `for` goes over, None if it is not range(number)."""
    if not isinstance(node, cst.Call) or dotted(node.func) not in _RANGES:
        return None
    if len(node.args) == 2 and literal(node.args[0].value) == "0":
        return node.args[1].value
    return node.args[0].value if len(node.args) == 1 else None


def is_around(source: Any, made: Any, loop: Any) -> bool:
    """Returns whether a loop is in the block of a statement, seen through `with` statements of scopes and devices."""
    block = source.block(loop)
    while block is not source.block(made):
        around = source.parents.get(block)
        if not is_transparent(around):
            return False
        block = source.block(around)
    return True


def is_unread(defined: Any, call: cst.Call, argument: Any) -> bool:
    """Returns whether a function does not read the parameter that an argument is passed to."""
    order = [each.name.value for each in defined.node.params.params][1 if defined.is_method else 0 :]
    given = arguments(call, order)
    name = next((name for name, value in (given or {}).items() if value is argument.value), None)
    return name is not None and name not in names_of(*statements_of(defined.node.body)).read


def joined_list(call: cst.Call) -> Any:
    """Returns the list that a call joins, None if it is not shown."""
    if call.args and call.args[0].keyword is None:
        return call.args[0].value if not call.args[0].star else None
    return next((each.value for each in call.args if each.keyword and each.keyword.value == "tensors_list"), None)
