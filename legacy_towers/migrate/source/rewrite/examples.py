"""What the elements of a dataset are, as an expression."""
from typing import Any, Callable, List, NamedTuple, Optional, Sequence, Set, Tuple

import libcst as cst

from legacy_towers.migrate.source.rewrite.names import dotted, is_of_self, names_of, targets
from legacy_towers.migrate.source.rewrite.scope import Scope
from legacy_towers.migrate.source.rewrite.syntax import arguments
from legacy_towers.migrate.source.rewrite.visiting import Visitor

# Functions that return a dict.
_DICTS = ("parse_single_example", "parse_example", "dict")
_LISTS = ("list", "tuple", "decode_csv", "split", "unstack")


class Roots(NamedTuple):
    """The names of an element in code.

    Attributes:
      names: the names of its parts.
      is_all: whether the only name stands for all parts, as a tuple.
      is_dict: whether the only name is that of a dict.
    """

    names: Tuple[str, ...]
    is_all: bool = False
    is_dict: bool = False

    def parameters(self) -> str:
        """Returns the parameters of a function that Dataset.map calls."""
        names = [each.rpartition(".")[2] for each in self.names]
        return "*" + names[0] if self.is_all else ", ".join(names)

    def star(self) -> str:
        """Returns what stands before an element that is passed to a function with these parameters: "*" of a tuple."""
        return "*" if self.is_all or len(self.names) > 1 else ""


class Element(NamedTuple):
    """The element that a function of Dataset.map returns.

    Attributes:
      parts: the expressions of its parts, or its only one.
      names: the names that they read.
      is_all: whether the only expression is a tuple.
      is_many: whether the first dimension is that of examples.
      size: the number of its parts.
      example: the expressions of the parts of an example, where the element has more than the example.
    """

    parts: Tuple[str, ...]
    names: Set[str]
    is_all: bool = False
    is_many: bool = False
    size: int = 1
    example: Tuple[str, ...] = ()

    @classmethod
    def of(cls, nodes: Sequence[Any], source: Any, is_all: bool = False) -> "Element":
        """Returns the element with the expressions `nodes`."""
        return cls(tuple(source.code(each).strip() for each in nodes), names_of(*nodes).read,
                   is_all and len(nodes) > 1, size=len(nodes))

    @property
    def text(self) -> str:
        """The expression."""
        return self.parts[0] if len(self.parts) == 1 else "({})".format(", ".join(self.parts))

    @property
    def returned(self) -> str:
        """The expression after `return`."""
        return ", ".join(self.parts)

    def with_parts(self, parts: Sequence[str]) -> "Element":
        return self._replace(parts=tuple(parts))

    def is_root(self, roots: Roots) -> bool:
        """Returns whether it is what it is made from."""
        if roots.is_all:
            return self.parts in ((roots.names[0],), ("tuple({})".format(roots.names[0]),))
        return self.parts == roots.names

    def is_targets(self, found: Sequence[Any], source: Any) -> bool:
        """Returns whether its parts are what an assignment binds."""
        names = [each.attr if is_of_self(each) else each for each in found]
        return self.parts == tuple(source.code(each).strip() for each in names)


def element_of(
    tensors: Any, roots: Roots, statements: Sequence[Any], scope: Scope,
    shown: Callable[[Any], Any] = lambda node: node, gives_list: Callable[[Any], bool] = lambda node: False,
) -> Optional[Element]:
    """Returns the element that a batcher's list or dict of tensors is; None if the source does not show what it is.

    Args:
      tensors: the expression.
      roots: what the statements compute with.
      statements: the statements that compute an example.
      scope: where they stand.
      shown: returns what a call of a function of the project returns, and another expression as it is.
      gives_list: returns whether a call is of a function of the project that returns a list.
    """
    source = scope.source
    if isinstance(tensors, (cst.List, cst.Tuple)):
        if any(isinstance(each, cst.StarredElement) for each in tensors.elements) or not tensors.elements:
            return None
        return Element.of([each.value for each in tensors.elements], source)
    if isinstance(tensors, cst.Dict):
        return Element.of([tensors], source)
    if isinstance(tensors, cst.Call) and dotted(tensors.func) in ("list", "tuple") and len(tensors.args) == 1:
        return Element(("tuple({})".format(scope.code(tensors.args[0].value)),), names_of(tensors).read, True)
    count = columns(tensors, scope)
    if count:
        text = "{}[0]" if count == 1 else "tuple({})"
        return Element((text.format(scope.code(tensors)),), names_of(tensors).read, count > 1)
    if isinstance(tensors, cst.Call) and gives_list(tensors):
        return Element(("tuple({})".format(scope.code(tensors)),), names_of(tensors).read, True)
    if not isinstance(tensors, cst.Name):
        return None
    name = tensors.value
    if roots.is_all and name in roots.names:
        return Element((name,), {name}, True)
    if roots.is_dict and name in roots.names:
        return Element((name,), {name})
    kind = None
    for statement in statements:
        if len(targets(statement)) == 1 and name in names_of(statement).bound:
            value = shown(scope.resolved(statement.value))
            kind = kind_of(value)
            if isinstance(value, (cst.List, cst.Tuple)) and len(value.elements) == 1 or columns(value, scope) == 1:
                return Element((name + "[0]",), {name})
    if kind == "dict" or any(_puts_by_name(statement, name) for statement in statements):
        return Element((name,), {name})
    if kind is None and _are_lists(scope.assigned(name)):
        # Those of the branches of an `if`.
        kind = "list"
    return Element(("tuple({})".format(name),), {name}, True) if kind == "list" else None


def _are_lists(values: Sequence[Any]) -> bool:
    return bool(values) and all(
        isinstance(each, (cst.List, cst.Tuple)) and len(each.elements) > 1
        and not any(isinstance(one, cst.StarredElement) for one in each.elements) for each in values
    )


def columns(value: Any, scope: Scope) -> int:
    """Returns the number of columns that a call of tf.decode_csv gives, 0 where the source does not show it."""
    if not isinstance(value, cst.Call) or dotted(value.func).rpartition(".")[2] != "decode_csv":
        return 0
    given = arguments(value, ("records", "record_defaults", *(
        each.keyword.value for each in value.args if each.keyword is not None)))
    defaults = scope.resolved((given or {}).get("record_defaults"))
    return len(defaults.elements) if isinstance(defaults, (cst.List, cst.Tuple)) else 0


def is_dict(value: Any, scope: Scope) -> bool:
    """Returns whether an expression is a dict, as far as the source shows it."""
    return kind_of(scope.resolved(value)) == "dict"


def returned(function: Any) -> Any:
    """Returns the expression that a function returns, if it has one return statement; None otherwise."""
    found = returns_of(function)
    return found[0].value if len(found) == 1 else None


def returns_of(function: Any) -> List[Any]:
    """Returns the return statements of a function, without those of functions in it."""
    found: List[Any] = []

    class _Finder(Visitor):
        def visit_FunctionDef(self, node: cst.FunctionDef) -> bool:
            return node is function

        def visit_Return(self, node: cst.Return) -> None:
            found.append(node)

    _Finder().visit(function)
    return found


def _puts_by_name(statement: Any, name: str) -> bool:
    """Returns whether a statement is `name["key"] = value`, which a dict alone takes."""
    for each in statement.targets if isinstance(statement, cst.Assign) else ():
        target = each.target
        if isinstance(target, cst.Subscript) and dotted(target.value) == name and len(target.slice) == 1:
            index = target.slice[0].slice
            if isinstance(index, cst.Index) and isinstance(index.value, cst.SimpleString):
                return True
    return False


def kind_of(value: Any) -> Optional[str]:
    """Returns "list" or "dict" for an expression that is one, as far as the source shows it; None otherwise."""
    if isinstance(value, (cst.List, cst.Tuple, cst.ListComp)):
        return "list"
    if isinstance(value, (cst.Dict, cst.DictComp)):
        return "dict"
    if isinstance(value, cst.Call):
        last = dotted(value.func).rpartition(".")[2]
        return "dict" if last in _DICTS else "list" if last in _LISTS else None
    return None
