"""The statements of a block in order, and which of them compute an example."""
from typing import Any, Callable, Dict, FrozenSet, List, NamedTuple, Sequence, Set

import libcst as cst

from legacy_towers.migrate.source.rewrite.names import names_of, read_first
from legacy_towers.migrate.source.rewrite.syntax import Source, statements_of
from legacy_towers.migrate.source.rewrite.visiting import Visitor

# `with` statements of these do not change what the operations in them compute.
_TRANSPARENT = ("name_scope", "op_scope", "device", "as_default", "variable_scope", "Graph", "Session", "colocate_with")

_OTHER_VALUE = "{!r} gets another value on the way"
_ONLY_SCOPES = ("name_scope", "op_scope", "device", "colocate_with")


class Unclear(Exception):
    """The statements can't be told apart; the message is the reason.

    Args:
      reason: the reason, as a clause.
      node: what prevents it.
    """

    def __init__(self, reason: str, node: Any) -> None:
        super().__init__(reason)
        self.node = node


def is_transparent(node: Any) -> bool:
    """Returns whether `node` is a `with` of scopes and devices only."""
    if not isinstance(node, cst.With):
        return False
    return all(
        isinstance(item.item, cst.Call) and _last(item.item.func) in _TRANSPARENT for item in node.items
    )


def is_only_scope(node: Any) -> bool:
    """Returns whether `node` is a `with` of name scopes and devices that has no effect where nothing is in it."""
    return isinstance(node, cst.With) and all(
        item.asname is None and isinstance(item.item, cst.Call) and (
            _last(item.item.func) in _ONLY_SCOPES or _last(item.item.func) == "variable_scope" and (
                # Another one may make the name of a later one unique.
                len(item.item.args) == 1 and isinstance(item.item.args[0].value, cst.SimpleString)
            )
        ) for item in node.items
    )


def region_of(source: Source, statement: Any) -> Any:
    """Returns the block that a statement is in, seen through `with` statements of scopes and devices."""
    block = source.block(statement)
    while is_transparent(source.parents.get(block)):
        block = source.block(source.parents[block])
    return block


def in_order(block: Any, loops: Sequence[Any] = ()) -> List[Any]:
    """Returns the statements of a block, with those in `with` statements of scopes and devices, and in `loops`."""
    found: List[Any] = []
    for statement in statements_of(block):
        is_seen_through = is_transparent(statement) or any(statement is each for each in loops)
        found += in_order(statement.body, loops) if is_seen_through else [statement]
    return found


def within_binding(source: Source, body: Any, statement: Any, name: str, uses: Sequence[Any]) -> List[Any]:
    """Returns those of `uses` of a name in `body` where it may have the value that an assignment gives it.

    Where the name is bound several times, one statement after the other, these are the uses up to the next one:

        queue = string_input_producer(train_files)
        image, label = read(queue)                      a use of the first value
        queue = string_input_producer(test_files)
        test_image, test_label = read(queue)            not a use of it
    """
    later = (cst.For, cst.While, cst.FunctionDef, cst.Lambda, cst.ClassDef)
    if any(isinstance(each, later) for node in [statement, *uses] for each in source.between(node, body)):
        return list(uses)
    statements = in_order(region_of(source, statement))
    number = next((number for number, each in enumerate(statements) if each is statement), None)
    if number is None:
        return list(uses)
    again = next((each for each in range(number + 1, len(statements)) if isinstance(statements[each], cst.Assign) and (
        name in names_of(*statements[each].targets).bound)), len(statements))
    others = {id(each) for place, each in enumerate(statements) if not number < place <= again}
    return [each for each in uses if not any(id(one) in others for one in source.above(each))]


class Examples(NamedTuple):
    """The statements that compute an example.

    Attributes:
      statements: these statements, in order.
      names: what they bind.
      apart: names that they bind for other code, from parts of them that do not compute an example, and do not move.
    """

    statements: List[Any]
    names: Set[str]
    apart: FrozenSet[str] = frozenset()


def computing(
    statements: Sequence[Any], start: int, end: int, roots: Set[str], first: Sequence[Any],
    is_random: Callable[[Any], bool],
) -> Examples:
    """Returns the statements that compute an example from what the reader gives.

    Args:
      statements: those of the region, in order.
      start: the number of the first statement after the reader.
      end: the number of the statement that takes the example.
      roots: the names of what the reader gives.
      first: statements that are known to compute it.
      is_random: returns whether a statement draws random numbers: those that an example is computed with are drawn for
        each example.

    Raises:
      Unclear: a statement can't be moved.
    """
    moved = list(first)
    names = set(roots)
    for statement in first:
        names |= names_of(statement).bound
    for statement in statements[start:end]:
        if any(statement is each for each in first):
            continue
        found = names_of(statement)
        if found.read & names or (found.changed & names):
            moved.append(statement)
            names |= found.bound | found.changed
        elif isinstance(statement, cst.Assign):
            # The name is of something else from here.
            names -= found.bound
        elif found.bound & names:
            raise Unclear(_OTHER_VALUE.format(sorted(found.bound & names)[0]), statement)
    _add_made_before(statements[:end], moved, names)
    _add_random(statements[:end], moved, names, is_random)
    _add_values_before(statements[:end], moved, roots)
    order = {id(each): number for number, each in enumerate(statements)}
    moved.sort(key=lambda each: order[id(each)])
    others = _check(statements[:end], start, moved, roots)
    read = names_of(*statements[end:]).read & others
    if read:
        raise Unclear(_OTHER_VALUE.format(sorted(read)[0]), statements[end])
    return Examples(moved, names)


def _add_made_before(statements: Sequence[Any], moved: List[Any], names: Set[str]) -> None:
    """Adds the statements that make the objects which the moved ones change: `features = {}`."""
    made = {name for each in moved for name in names_of(each).changed}
    order = {id(each): number for number, each in enumerate(statements)}
    for name in sorted(made):
        # The first statement that binds or changes it: `image = []` or `images.append(image)`.
        first = min((each for each in moved if name in names_of(each).bound or name in names_of(each).changed),
                    key=lambda each: order.get(id(each), -1))
        if name in names_of(first).bound and name not in read_first([first]):
            continue
        makers = [
            each for each in statements
            if each not in moved and (name in names_of(each).bound or name in names_of(each).changed)
        ]
        if not makers:
            change = next(each for each in moved if name in names_of(each).changed)
            raise Unclear("it keeps what is computed from an example in {!r}".format(name), change)
        moved += makers
        names.add(name)


def _add_random(
    statements: Sequence[Any], moved: List[Any], names: Set[str], is_random: Callable[[Any], bool]
) -> None:
    drawn: List[Any] = []
    random_names: Set[str] = set()
    for statement in statements:
        found = names_of(statement)
        if statement not in moved and (is_random(statement) or found.read & random_names):
            drawn.append(statement)
            random_names |= found.bound
    for statement in reversed(drawn):
        if names_of(statement).bound & set().union(*(names_of(each).read for each in moved)):
            moved.append(statement)
            names |= names_of(statement).bound


def _add_values_before(statements: Sequence[Any], moved: List[Any], roots: Set[str]) -> None:
    """Adds the assignments of values that names have before those of examples, and that only examples are made from.

        features = {"image": tf.FixedLenFeature([], tf.string)}
        features = tf.parse_single_example(serialized, features)
    """
    is_moved = {id(each) for each in moved}
    own = set().union(*(names_of(each).bound for each in moved)) if moved else set()
    bound = set(roots)
    for number, statement in enumerate(statements):
        if id(statement) not in is_moved:
            continue
        for name in sorted((read_first([statement]) & own) - bound):
            others = [each for each in statements if id(each) not in is_moved]
            made = [each for each in statements[:number] if id(each) not in is_moved and name in names_of(each).bound]
            if made and all(isinstance(each, cst.Assign) and names_of(each).bound == {name} for each in made) and not (
                any(name in names_of(each).read or name in names_of(each).changed for each in others)
            ):
                moved += made
                is_moved |= {id(each) for each in made}
                bound.add(name)
        bound |= names_of(statement).bound


def _check(statements: Sequence[Any], start: int, moved: Sequence[Any], roots: Set[str]) -> Set[str]:
    """Returns the names of `moved` that have another value in the end, which other statements gave them."""
    is_moved = {id(each) for each in moved}
    bound: Set[str] = set(roots)
    last_read: Dict[str, Any] = {}
    others: Set[str] = set()
    own = set().union(*(names_of(each).bound for each in moved)) if moved else set()
    for number, statement in enumerate(statements):
        found = names_of(statement)
        if id(statement) not in is_moved:
            for name in sorted(found.bound & set(last_read)):
                raise Unclear("{!r} is bound again, after what computes an example reads it".format(name), statement)
            others |= found.bound & bound if number >= start else set()
            continue
        # Not what it binds itself first: a block reads its own variables.
        read = read_first([statement])
        early = (read & own) - bound
        if early:
            raise Unclear("{!r} has a value before, which examples are computed from".format(sorted(early)[0]),
                          statement)
        if read & others:
            raise Unclear(_OTHER_VALUE.format(sorted(read & others)[0]), statement)
        others -= found.bound
        bound |= found.bound
        for name in read - bound:
            last_read[name] = statement
    return others


def names_before(source: Any, function: cst.FunctionDef, statement: Any) -> List[str]:
    """Returns the names that a function binds before a statement."""
    found: List[str] = []
    for each in in_order(function.body):
        if each is statement:
            break
        found += sorted(names_of(each).bound)
    return found


def exits(node: Any) -> bool:
    """Returns whether a statement has a return, yield, break or continue of the code around it."""
    finder = _Exits()
    finder.visit(node)
    return finder.found


class _Exits(Visitor):
    def __init__(self) -> None:
        super().__init__()
        self.found = False

    def visit_FunctionDef(self, node: cst.FunctionDef) -> bool:
        return False

    def visit_Lambda(self, node: cst.Lambda) -> bool:
        return False

    def visit_Return(self, node: cst.Return) -> None:
        self.found = True

    def visit_Yield(self, node: cst.Yield) -> None:
        self.found = True

    def visit_Global(self, node: cst.Global) -> None:
        self.found = True


def _last(node: Any) -> str:
    return node.attr.value if isinstance(node, cst.Attribute) else getattr(node, "value", "")
