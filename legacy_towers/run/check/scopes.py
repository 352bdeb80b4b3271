"""Resolves the names of one file, scope by scope, through attributes and the script's own modules."""
import ast
from typing import Dict, Iterator, List, Optional, Set, Union

from legacy_towers.run.check.conditions import constant
from legacy_towers.run.check.findings import NOTHING, Lookups, Meanings, is_tensorflow
from legacy_towers.run.check.values import is_value

Function = Union[ast.FunctionDef, ast.AsyncFunctionDef, ast.Lambda]
Scope = Dict[str, Meanings]
# Prefix of the script's own modules, which keeps them distinct from TensorFlow names.
_OWN = "own:"


class Scopes:
    """The names that are bound at the current position in a file.

    Args:
      lookups: the lookups of the script's other modules.

    Attributes:
      module: name at the top level of the file -> the dotted names that it may refer to.
    """

    def __init__(self, lookups: Lookups) -> None:
        self._lookups = lookups
        self.module: Scope = {}
        self._scopes: List[Scope] = [self.module]

    def enter(self) -> None:
        """Enters the scope of a class or a comprehension."""
        self._scopes.append({})

    def leave(self) -> None:
        self._scopes.pop()

    def visible(self) -> List[Scope]:
        """Returns the scopes that are visible in a function defined here."""
        # Python excludes the scope of an enclosing class; including it here does no harm.
        return list(self._scopes)

    def enter_function(self, function: Function, enclosing: List[Scope]) -> None:
        """Enters the body of `function`, which was defined in the scopes `enclosing`."""
        self._scopes = enclosing + [{name: NOTHING for name in _parameters(function.args)}]

    def bind(self, name: str, meanings: Meanings, may_stay: bool) -> None:
        """Binds `name` from here on; with `may_stay` it may also keep its previous meanings."""
        before = self._scopes[-1].get(name, NOTHING) if may_stay else meanings
        # A name with several meanings has no known value.
        self._scopes[-1][name] = meanings if before == meanings else frozenset(
            each for each in meanings | before if not is_value(each))

    def meanings(self, node: ast.AST) -> Meanings:
        """Returns the dotted names that a name, a chain of attributes or a choice of these may refer to."""
        if isinstance(node, ast.Name):
            for scope in reversed(self._scopes):
                if node.id in scope:
                    return scope[node.id]
            return NOTHING
        if isinstance(node, ast.IfExp):
            return self.meanings(node.body) | self.meanings(node.orelse)
        if isinstance(node, ast.Call):
            return self._imported_by_call(node)
        if not isinstance(node, ast.Attribute):
            return NOTHING
        found: Set[str] = set()
        for owner in self.meanings(node.value):
            if owner.startswith(_OWN):
                found |= self.of_own(owner[len(_OWN) :], node.attr)
            else:
                found.add("{}.{}".format(owner, node.attr))
        return frozenset(found)

    def _imported_by_call(self, node: ast.Call) -> Meanings:
        if "importlib.import_module" in self.meanings(node.func) and node.args:
            module = constant(node.args[0])
            if isinstance(module, str) and is_tensorflow(module):
                return frozenset([module])
        return NOTHING

    def own_module(self, bound: str, imported: str) -> Meanings:
        """Returns the meaning of the script's own module `bound`; reads all modules that `import imported` runs."""
        parts = imported.split(".")
        for length in range(1, len(parts) + 1):
            module = self._lookups.module(".".join(parts[:length]), 0)
            if module is not None:
                self._lookups.bound_in(module)
        return _as_own(self._lookups.module(bound, 0))

    def of_own(self, module: str, name: str) -> Meanings:
        """Returns the meanings of `name` in the script's own `module`; it may also be a submodule."""
        below = self._lookups.module("{}.{}".format(module, name), 0)
        if below is None:
            return self._lookups.bound_in(module).get(name, NOTHING)
        self._lookups.bound_in(below)  # importing it runs it
        return _as_own(below)


def _as_own(module: Optional[str]) -> Meanings:
    return NOTHING if module is None else frozenset([_OWN + module])


def _parameters(arguments: ast.arguments) -> Iterator[str]:
    for each in list(getattr(arguments, "posonlyargs", ())) + arguments.args + arguments.kwonlyargs:
        yield each.arg
    for extra in (arguments.vararg, arguments.kwarg):
        if extra is not None:
            yield extra.arg
