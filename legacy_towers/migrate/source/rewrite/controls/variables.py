"""Where the variables of a function or of a module are used."""
from typing import Any, Dict, List, Mapping, NamedTuple, Optional, Sequence, Set

import libcst as cst

from legacy_towers.migrate.source.rewrite.names import NameVisitor

Parents = Mapping[cst.CSTNode, cst.CSTNode]

_SCOPES = (cst.Module, cst.FunctionDef, cst.Lambda, cst.ClassDef)


class Variable(NamedTuple):
    """A variable that one function, or the code of a module, binds.

    Attributes:
      scope: the function or module that binds it.
      name: its name.
      uses: all nodes that read or bind it, those in nested functions included, in their order in the file.
    """

    scope: Any
    name: str
    uses: List[cst.Name]


def scope_of(node: cst.CSTNode, parents: Parents) -> Any:
    """Returns the function, class or module whose code `node` is."""
    below, above = node, parents[node]
    # What a definition's decorators and defaults use is of the scope around it.
    while not (isinstance(above, cst.Module) or isinstance(above, _SCOPES) and below is above.body):
        below, above = above, parents[above]
    return above


class Variables:
    """The variables of one file.

    Args:
      module: the tree of the file.
      parents: node -> the node around it.
    """

    def __init__(self, module: cst.Module, parents: Parents) -> None:
        self._module = module
        self._parents = parents
        self._bindings: Dict[Any, _Bindings] = {}

    def of(self, name: cst.Name) -> Optional[Variable]:
        """Returns the variable that `name` is, None where that is not certain.

        A variable of a class body, one that a function declares global or nonlocal, and one that is not bound in the
        file are not certain.
        """
        own = scope = scope_of(name, self._parents)
        while not isinstance(scope, cst.Module):
            bindings = self._bindings_of(scope)
            if name.value in bindings.declared:
                return None
            # What a class body binds, its methods don't see.
            if name.value in bindings.bound and (scope is own or not isinstance(scope, cst.ClassDef)):
                break
            scope = scope_of(scope, self._parents)
        if isinstance(scope, cst.ClassDef) or name.value not in self._bindings_of(scope).bound:
            return None
        finder = _Uses(name.value, scope, self._bindings_of)
        finder.visit(scope)
        return None if finder.is_uncertain else Variable(scope, name.value, finder.found)

    def _bindings_of(self, scope: Any) -> "_Bindings":
        if scope not in self._bindings:
            self._bindings[scope] = _Bindings(scope)
            self._bindings[scope].visit(scope)
        return self._bindings[scope]


class _Bindings(NameVisitor):
    """Finds the names that one scope binds, those of nested scopes left out."""

    def __init__(self, scope: Any) -> None:
        super().__init__()
        self.scope = scope
        self.bound: Set[str] = set()
        self.declared: Set[str] = set()

    def _target(self, node: cst.CSTNode) -> None:
        if isinstance(node, cst.Name):
            self.bound.add(node.value)
        elif isinstance(node, (cst.Tuple, cst.List)):
            for element in node.elements:
                self._target(element.value)

    def visit_AssignTarget(self, node: cst.AssignTarget) -> None:
        self._target(node.target)

    def visit_AnnAssign(self, node: cst.AnnAssign) -> None:
        self._target(node.target)

    def visit_AugAssign(self, node: cst.AugAssign) -> None:
        self._target(node.target)

    def visit_NamedExpr(self, node: cst.NamedExpr) -> None:
        self._target(node.target)

    def visit_For(self, node: cst.For) -> None:
        self._target(node.target)

    def visit_AsName(self, node: cst.AsName) -> None:
        self._target(node.name)

    def visit_ImportAlias(self, node: cst.ImportAlias) -> None:
        if node.asname is None:
            name: Any = node.name
            while isinstance(name, cst.Attribute):
                name = name.value
            self._target(name)

    def visit_Param(self, node: cst.Param) -> None:
        self._target(node.name)

    def _declare(self, names: Sequence[cst.NameItem]) -> None:
        self.declared.update(item.name.value for item in names)

    def visit_Global(self, node: cst.Global) -> None:
        self._declare(node.names)

    def visit_Nonlocal(self, node: cst.Nonlocal) -> None:
        self._declare(node.names)

    def visit_FunctionDef(self, node: cst.FunctionDef) -> bool:
        if node is not self.scope:
            self.bound.add(node.name.value)
        return node is self.scope

    def visit_ClassDef(self, node: cst.ClassDef) -> bool:
        if node is not self.scope:
            self.bound.add(node.name.value)
        return node is self.scope

    def visit_Lambda(self, node: cst.Lambda) -> bool:
        return node is self.scope


class _Uses(NameVisitor):
    """Finds the uses of a variable in the scope that binds it and in the functions inside."""

    def __init__(self, name: str, scope: Any, bindings_of: Any) -> None:
        super().__init__()
        self.name, self.scope, self.bindings_of = name, scope, bindings_of
        self.found: List[cst.Name] = []
        self.is_uncertain = False

    def _enters(self, node: Any) -> bool:
        if node is self.scope:
            return True
        bindings = self.bindings_of(node)
        if self.name in bindings.declared:
            self.is_uncertain = True
        return self.name not in bindings.bound

    def visit_FunctionDef(self, node: cst.FunctionDef) -> bool:
        if node is self.scope:
            return True
        for part in node.decorators:
            self.visit(part)
        for parameter in _parameters(node.params):
            if parameter.default is not None:
                self.visit(parameter.default)
        if node.name.value == self.name:
            self.is_uncertain = True
        if self._enters(node):
            self.visit(node.body)
        return False

    def visit_Lambda(self, node: cst.Lambda) -> bool:
        return self._enters(node)

    def visit_ClassDef(self, node: cst.ClassDef) -> bool:
        for part in node.decorators:
            self.visit(part)
        for argument in list(node.bases) + list(node.keywords):
            self.visit(argument)
        if node.name.value == self.name:
            self.is_uncertain = True
        if node is self.scope or self._enters(node):
            self.visit(node.body)
        return False

    def visit_Param(self, node: cst.Param) -> bool:
        if node.name.value == self.name:
            self.is_uncertain = True
        return True

    def visit_ImportAlias(self, node: cst.ImportAlias) -> bool:
        names = [node.evaluated_alias, node.evaluated_name.split(".")[0]]
        if self.name in names:
            self.is_uncertain = True
        return False

    def visit_NameItem(self, node: cst.NameItem) -> bool:
        return False

    def visit_Name(self, node: cst.Name) -> None:
        if node.value == self.name:
            self.found.append(node)


def _parameters(parameters: cst.Parameters) -> List[cst.Param]:
    found = list(parameters.posonly_params) + list(parameters.params) + list(parameters.kwonly_params)
    for star in (parameters.star_arg, parameters.star_kwarg):
        if isinstance(star, cst.Param):
            found.append(star)
    return found
