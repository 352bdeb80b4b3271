"""Binds the names of one file, and resolves them."""
import ast
from typing import Any, Callable, Dict, List, NamedTuple, Optional, Set, Tuple

from legacy_towers.migrate.source.knowledge import Knowledge
from legacy_towers.migrate.source.names import canonical
from legacy_towers.migrate.source.queue_api import COLLECTION, TRACKED, attribute_class, method_name
from legacy_towers.migrate.source.values import NOTHING, STAR, Class, Function, Scope, Value, Values, in_order, union

# What a script calls TensorFlow where its import is not found, as in `from common import *`.
_USUAL_NAME = "tf"


class Lookups(NamedTuple):
    """The lookups outside of the file.

    Attributes:
      module: resolves an import: (path of the file, dotted name, level) -> the path of the project's module, or None.
      scope: path of a module -> what it binds at its top level.
    """

    module: Callable[[str, str, int], Optional[str]]
    scope: Callable[[str], Scope]


class ScopeReader:
    """Binds and resolves names.

    Args:
      path: the path of the file.
      knowledge: what is known of the project.
      lookups: the lookups outside of the file.
    """

    def __init__(self, path: str, knowledge: Knowledge, lookups: Lookups) -> None:
        self.path = path
        self.knowledge = knowledge
        self.lookups = lookups
        self.scopes: List[Scope] = [knowledge.scopes.setdefault(path, {})]
        self.function: Optional[Function] = None
        self.class_: Optional[Class] = None
        # Names of the functions and classes around the current line.
        self.inside: List[str] = []
        # The number of enclosing statements whose body may not run.
        self.branches = 0
        # (function, name): `global name` in the function.
        self.globals: Set[Tuple[Function, str]] = set()
        # What the current function looks up in the scopes around it, and whether it changes these.
        self.outer_names: Dict[str, Values] = {}
        self.changes_outer = False

    # Binding

    def bind(self, name: str, values: Values) -> None:
        """Binds `name` from here on; in a branch it may keep what it was."""
        is_global = (self.function, name) in self.globals
        self.changes_outer |= is_global
        scope = self.scopes[0] if is_global else self.scopes[-1]
        if self.branches or is_global:
            values = scope.get(name, NOTHING) | values
        scope[name] = self.knowledge.bounded(values, self.path)

    def bind_target(self, target: ast.AST, values: Values) -> None:
        """Binds what stands left of `=`, or after `for` or `as`."""
        if isinstance(target, ast.Name):
            self.bind(target.id, values)
        elif isinstance(target, ast.Starred):
            self.bind_target(target.value, values)
        elif isinstance(target, (ast.Tuple, ast.List)):
            for part in target.elts:
                self.bind_target(part, values)
        elif isinstance(target, ast.Attribute):
            self._add_attribute(self.values(target.value), target.attr, values)
        elif isinstance(target, ast.Subscript):
            self.add_content(target.value, values)

    def add_content(self, container: ast.AST, values: Values) -> None:
        """Adds `values` to a list or dictionary that has a name or is an attribute."""
        if isinstance(container, ast.Name):
            for depth, scope in reversed(list(enumerate(self.scopes))):
                if container.id in scope:
                    self.changes_outer |= depth < self._outer()
                    before = scope[container.id]
                    scope[container.id] = self.knowledge.bounded(before | values, self.path, before)
                    return
        elif isinstance(container, ast.Attribute):
            self._add_attribute(self.values(container.value), container.attr, values)
        elif isinstance(container, ast.Subscript):
            self.add_content(container.value, values)

    def _add_attribute(self, owners: Values, name: str, values: Values) -> None:
        for owner in in_order(self.knowledge.resolved(owners)):
            if owner.kind in ("instance", "class"):
                self.knowledge.add(owner.what, name, values)
            elif owner.kind == "module":
                self.changes_outer = True
                scope = self.lookups.scope(owner.what)
                before = scope.get(name, NOTHING)
                scope[name] = self.knowledge.bounded(before | values, self.path, before)

    def add_star(self, module: str) -> None:
        """Records `from module import *` of a module of TensorFlow."""
        self.scopes[0][STAR] = self.scopes[0].get(STAR, NOTHING) | {Value("api", module)}

    # Resolving

    def values(self, node: Any) -> Values:
        """Returns what the expression `node` may be."""
        raise NotImplementedError

    def named(self, name: str) -> Values:
        """Returns what `name` may be here."""
        for scope in reversed(self.scopes[self._outer() :]):
            if name in scope:
                return scope[name]
        found = self.named_in(self.scopes[: self._outer()], name)
        self.outer_names[name] = found
        return found

    def named_in(self, scopes: List[Scope], name: str) -> Values:
        """Returns what `name` may be in these scopes, innermost last."""
        for scope in reversed(scopes):
            if name in scope:
                return scope[name]
        return _of_star(self.scopes[0], name) or self.usual(name)

    def _outer(self) -> int:
        """Returns the number of scopes around the current function."""
        return len(self.function.scopes) if self.function is not None else 0

    @staticmethod
    def usual(name: str) -> Values:
        """Returns what a name is whose import is not found: `tf` is TensorFlow."""
        return frozenset([Value("api", _USUAL_NAME)]) if name == _USUAL_NAME else NOTHING

    def attribute(self, node: ast.AST, owners: Values, name: str) -> Values:
        """Returns what the attribute `name` of one of `owners` may be; `node` is the expression."""
        found: Set[Value] = set()
        for owner in in_order(self.knowledge.resolved(owners)):
            found |= self._attribute_of(node, owner, name)
        if not any(each.kind not in ("made", "parameter") for each in found):
            found |= self.knowledge.flowing(owners)
        return self.knowledge.bounded(frozenset(found), self.path)

    def _attribute_of(self, node: ast.AST, owner: Value, name: str) -> Values:
        if owner.kind == "api":
            whole = canonical("{}.{}".format(owner.what, name))
            if whole == COLLECTION:
                self.knowledge.site(self.path, whole, node, self.where())
            return frozenset([Value("api", whole)])
        if owner.kind == "module":
            below = self.lookups.module(self.path, "{}.{}".format(owner.what, name), 0)
            bound = self.lookups.scope(owner.what).get(name, NOTHING)
            if not bound and below is None:
                bound = _of_star(self.lookups.scope(owner.what), name)
            self.knowledge.uses[("module", owner.what, name)] = self.lookups.scope(owner.what).get(name, NOTHING)
            self.knowledge.uses[("module", owner.what, STAR)] = self.lookups.scope(owner.what).get(STAR, NOTHING)
            return bound if below is None or bound else frozenset([Value("module", below)])
        if owner.kind == "class":
            return self.knowledge.methods(owner.what, name)
        if owner.kind == "instance":
            return self._of_instance(owner, name)
        if owner.kind == "made":
            method = method_name(owner.what.name, name)
            if method is not None:
                return frozenset([Value("method", owner.what, method)])
            class_name = attribute_class(owner.what.name, name)
            if class_name is not None:
                site = self.knowledge.site(self.path, "{}.{}".format(owner.what.name, name), node, self.where())
                self.knowledge.add_arguments(site, {"self": frozenset([owner])})
                return frozenset([Value("made", site)])
        return NOTHING

    def _of_instance(self, owner: Value, name: str) -> Values:
        found = []
        for each in in_order(self.knowledge.methods(owner.what, name)):
            if each.kind == "function" and each.what.owner is not None:
                self.knowledge.add(each.what, "self", frozenset([owner]))
                if each.what.is_property:
                    found.append(self.knowledge.get(each.what, "return"))
                    continue
            found.append(frozenset([each]))
        return union(found)

    def where(self) -> str:
        """Returns the name of the function around the current line, "" outside of functions."""
        return self.function.name if self.function is not None else ""


def _of_star(scope: Scope, name: str) -> Values:
    """Returns what `from module import *` of modules of TensorFlow gives a name in a scope."""
    for module in sorted(each.what for each in scope.get(STAR, NOTHING)):
        found = canonical("{}.{}".format(module, name))
        if any(each == found or each.startswith(found + ".") for each in TRACKED):
            return frozenset([Value("api", found)])
    return NOTHING
