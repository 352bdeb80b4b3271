"""Which names a statement or expression reads, binds and changes."""
from typing import Any, List, Set, Tuple

import libcst as cst

from legacy_towers.migrate.source.rewrite.visiting import Visitor

# Method that changes the object that has a name -> the number of its arguments, None for any: tf.add and np.append have
# two.
_CHANGING = {
    "add": 1, "append": 1, "extend": 1, "insert": 2, "pop": None, "remove": 1, "setdefault": None, "update": None,
}


class Names:
    """The names in a piece of code.

    Attributes:
      read: the names that it reads from the scope around it.
      bound: the names that it binds there; attributes of `self` are names, too.
      changed: the names of objects that it changes: `a.b = c`, `a["b"] = c`, `a.append(c)`.
    """

    def __init__(self) -> None:
        self.read: Set[str] = set()
        self.bound: Set[str] = set()
        self.changed: Set[str] = set()


def names_of(*nodes: cst.CSTNode) -> Names:
    """Returns the names in `nodes`; what is local to functions, lambdas and comprehensions in them does not count."""
    names = Names()
    for node in nodes:
        _Reader(names).visit(node)
    return names


def read_first(statements: Any) -> Set[str]:
    """Returns the names that statements read before they surely bind them: not `s` in `with f() as s: s.run()`."""
    read: Set[str] = set()
    bound: Set[str] = set()
    for statement in statements:
        read |= _read_first(statement) - bound
        bound |= surely_bound(statement)
    return read


def surely_bound(statement: Any) -> Set[str]:
    """Returns the names that a statement binds, whatever its conditions are."""
    if isinstance(statement, cst.If):
        rest = statement.orelse
        if rest is None:
            return set()
        first = set().union(*map(surely_bound, statement.body.body))
        return first & (surely_bound(rest) if isinstance(rest, cst.If) else set().union(*map(
            surely_bound, rest.body.body)))
    return set() if isinstance(statement, (cst.For, cst.While, cst.Try)) else names_of(statement).bound


def _read_first(statement: Any) -> Set[str]:
    if isinstance(statement, cst.SimpleStatementLine):
        return read_first(statement.body)
    if isinstance(statement, cst.With):
        items = names_of(*statement.items)
        return items.read | (read_first(statement.body.body) - items.bound)
    if isinstance(statement, cst.For):
        bound = names_of(cst.AssignTarget(statement.target)).bound
        rest = read_first(statement.orelse.body.body) if statement.orelse is not None else set()
        return names_of(statement.iter).read | (read_first(statement.body.body) - bound) | rest
    if isinstance(statement, (cst.If, cst.While)):
        rest = _read_first(statement.orelse) if statement.orelse is not None else set()
        return names_of(statement.test).read | read_first(statement.body.body) | rest
    if isinstance(statement, cst.Else):
        return read_first(statement.body.body)
    if isinstance(statement, cst.Try):
        parts = [statement.body.body] + [each.body.body for each in statement.handlers]
        parts += [each.body.body for each in (statement.orelse, statement.finalbody) if each is not None]
        types = [each.type for each in statement.handlers if each.type is not None]
        return set().union(names_of(*types).read, *(read_first(each) for each in parts))
    return names_of(statement).read


def is_of_self(node: Any) -> bool:
    """Returns whether an expression is an attribute of `self`; it counts as a name, too."""
    return isinstance(node, cst.Attribute) and isinstance(node.value, cst.Name) and node.value.value == "self"


def name_of(node: Any) -> str:
    """Returns the name that an expression is, such as "image" or "self.image"; "" of another expression."""
    if is_of_self(node):
        return "self." + str(node.attr.value)
    return str(node.value) if isinstance(node, cst.Name) else ""


def base_name(node: Any) -> str:
    """Returns `a` of `a.b[0].c`, "" of another expression."""
    while isinstance(node, (cst.Attribute, cst.Subscript)):
        node = node.value
    return node.value if isinstance(node, cst.Name) else ""


def dotted(node: Any) -> str:
    """Returns the text of a dotted name, "" of another expression."""
    if isinstance(node, cst.Name):
        return node.value
    if isinstance(node, cst.Attribute):
        base = dotted(node.value)
        return "{}.{}".format(base, node.attr.value) if base else ""
    return ""


def parameters(function: cst.FunctionDef) -> List[str]:
    """Returns the names of the parameters by position."""
    given = function.params
    return [each.name.value for each in tuple(given.posonly_params) + tuple(given.params)]


def targets(statement: Any) -> List[Any]:
    """Returns the parts of what stands left of the only `=`: [a, b] of `a, b = c`; [] of another statement."""
    if not isinstance(statement, cst.Assign) or len(statement.targets) != 1:
        return []
    target = statement.targets[0].target
    if isinstance(target, (cst.Tuple, cst.List)):
        return [each.value for each in target.elements]
    return [target]


def assigned_pairs(statement: cst.Assign) -> List[Tuple[Any, Any]]:
    """Returns (target, value) of an assignment; those of `a, b = c, d` are `a, c` and `b, d`."""
    found: List[Tuple[Any, Any]] = []
    for each in statement.targets:
        target, value = each.target, statement.value
        sides = [node.elements if isinstance(node, (cst.Tuple, cst.List)) else () for node in (target, value)]
        is_starred = any(isinstance(one, cst.StarredElement) for side in sides for one in side)
        if sides[0] and len(sides[0]) == len(sides[1]) and not is_starred:
            found += [(left.value, right.value) for left, right in zip(*sides)]
        else:
            found.append((target, value))
    return found


class NameVisitor(Visitor):
    """Visits names, without those of attributes and keywords."""

    def visit_Attribute(self, node: cst.Attribute) -> bool:
        self.visit(node.value)
        return False

    def visit_Arg(self, node: cst.Arg) -> bool:
        self.visit(node.value)
        return False


class _Reader(NameVisitor):
    def __init__(self, names: Names) -> None:
        super().__init__()
        self._names = names

    def visit_Name(self, node: cst.Name) -> None:
        self._names.read.add(node.value)

    def visit_Attribute(self, node: cst.Attribute) -> bool:
        if is_of_self(node):
            self._names.read.add("self." + node.attr.value)
        return super().visit_Attribute(node)

    def visit_AssignTarget(self, node: cst.AssignTarget) -> bool:
        self._target(node.target)
        return False

    def visit_AugAssign(self, node: cst.AugAssign) -> bool:
        self.visit(node.target)
        self._target(node.target)
        self.visit(node.value)
        return False

    def visit_AnnAssign(self, node: cst.AnnAssign) -> bool:
        self._target(node.target)
        if node.value is not None:
            self.visit(node.value)
        return False

    def visit_For(self, node: cst.For) -> None:
        self._target(node.target)

    def visit_AsName(self, node: cst.AsName) -> bool:
        self._target(node.name)
        return False

    def visit_Call(self, node: cst.Call) -> None:
        if isinstance(node.func, cst.Attribute) and node.func.attr.value in _CHANGING:
            name = base_name(node.func.value)
            count = _CHANGING[node.func.attr.value]
            if name and (count is None or count == len(node.args)):
                self._names.changed.add(name)

    def visit_Import(self, node: cst.Import) -> bool:
        self._imports(node.names)
        return False

    def visit_ImportFrom(self, node: cst.ImportFrom) -> bool:
        self._imports(() if isinstance(node.names, cst.ImportStar) else node.names)
        return False

    def visit_FunctionDef(self, node: cst.FunctionDef) -> bool:
        self._names.bound.add(node.name.value)
        for decorator in node.decorators:
            self.visit(decorator)
        self._inner(node.params, (node.body,))
        return False

    def visit_Lambda(self, node: cst.Lambda) -> bool:
        self._inner(node.params, (node.body,))
        return False

    def visit_ClassDef(self, node: cst.ClassDef) -> bool:
        self._names.bound.add(node.name.value)
        for base in node.bases:
            self.visit(base.value)
        inner = names_of(node.body)
        self._names.read |= inner.read - inner.bound
        return False

    def visit_GeneratorExp(self, node: cst.GeneratorExp) -> bool:
        return self._comprehension(node, node.elt)

    def visit_ListComp(self, node: cst.ListComp) -> bool:
        return self._comprehension(node, node.elt)

    def visit_SetComp(self, node: cst.SetComp) -> bool:
        return self._comprehension(node, node.elt)

    def visit_DictComp(self, node: cst.DictComp) -> bool:
        return self._comprehension(node, node.key, node.value)

    def _comprehension(self, node: Any, *parts: cst.CSTNode) -> bool:
        inner = Names()
        reader = _Reader(inner)
        clause = node.for_in
        while clause is not None:
            reader._target(clause.target)
            reader.visit(clause.iter)
            for condition in clause.ifs:
                reader.visit(condition.test)
            clause = clause.inner_for_in
        for part in parts:
            reader.visit(part)
        self._names.read |= inner.read - inner.bound
        self._names.changed |= inner.changed - inner.bound
        return False

    def _inner(self, params: cst.Parameters, body: Tuple[cst.CSTNode, ...]) -> None:
        inner = names_of(*body)
        every = list(params.params) + list(params.posonly_params) + list(params.kwonly_params)
        every += [each for each in (params.star_arg, params.star_kwarg) if isinstance(each, cst.Param)]
        for each in every:
            inner.bound.add(each.name.value)
            if each.default is not None:
                self.visit(each.default)
        self._names.read |= inner.read - inner.bound
        self._names.changed |= inner.changed - inner.bound

    def _target(self, node: Any) -> None:
        if isinstance(node, cst.Name):
            self._names.bound.add(node.value)
        elif isinstance(node, (cst.Tuple, cst.List)):
            for element in node.elements:
                self._target(element.value)
        elif is_of_self(node):
            self._names.read.add("self")
            self._names.bound.add("self." + node.attr.value)
        elif isinstance(node, (cst.Attribute, cst.Subscript)):
            self.visit(node)
            if base_name(node):
                self._names.changed.add(base_name(node))

    def _imports(self, aliases: Any) -> None:
        for alias in aliases:
            name = alias.asname.name if alias.asname is not None else alias.name
            while isinstance(name, cst.Attribute):
                name = name.value
            self._names.bound.add(name.value)
