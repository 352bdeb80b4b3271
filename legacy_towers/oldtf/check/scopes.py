"""What the names of one file may be: scope by scope, through attributes and the script's own modules."""
import ast
from typing import Dict, Iterator, List, Optional, Set, Union

from legacy_towers.oldtf.check.conditions import constant
from legacy_towers.oldtf.check.found import NOTHING, Asked, Meanings, is_tensorflow
from legacy_towers.oldtf.check.values import is_value

Function = Union[ast.FunctionDef, ast.AsyncFunctionDef, ast.Lambda]
Scope = Dict[str, Meanings]
# The script's own modules are marked, so that they can't be taken for names of TensorFlow.
_OWN = "own:"


class Scopes:
    """The names that are bound where the reader of a file is.

    Args:
      asked: about the script's other modules.

    Attributes:
      module: what the names at the top level of the file may be.
    """

    def __init__(self, asked: Asked) -> None:
        self._asked = asked
        self.module: Scope = {}
        self._scopes: List[Scope] = [self.module]

    def enter(self) -> None:
        """Begins a scope of its own, of a class or a comprehension."""
        self._scopes.append({})

    def leave(self) -> None:
        self._scopes.pop()

    def around(self) -> List[Scope]:
        """Returns the scopes that a function sees which is defined here."""
        # It does not see the names of a class around it; a name too many does no harm.
        return list(self._scopes)

    def enter_function(self, function: Function, around: List[Scope]) -> None:
        """Goes from where the reader is into the body of `function`, which was defined in the scopes `around`."""
        self._scopes = around + [{name: NOTHING for name in _parameters(function.args)}]

    def bind(self, name: str, meanings: Meanings, may_stay: bool) -> None:
        """Notes what `name` is from here on; `may_stay`: or what it was before."""
        before = self._scopes[-1].get(name, NOTHING) if may_stay else meanings
        # What may be two things is no value that a condition could be told by.
        self._scopes[-1][name] = meanings if before == meanings else frozenset(
            each for each in meanings | before if not is_value(each))

    def meanings(self, node: ast.AST) -> Meanings:
        """Returns what the expression may be, where it is a name, a chain of attributes or a choice of such."""
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
        """Returns what the script's own module `bound` is as a name; reads all that `import imported` runs."""
        parts = imported.split(".")
        for length in range(1, len(parts) + 1):
            module = self._asked.module(".".join(parts[:length]), 0)
            if module is not None:
                self._asked.bound_in(module)
        return _as_own(self._asked.module(bound, 0))

    def of_own(self, module: str, name: str) -> Meanings:
        """Returns what `name` of the script's own `module` may be, a module below it too."""
        below = self._asked.module("{}.{}".format(module, name), 0)
        if below is None:
            return self._asked.bound_in(module).get(name, NOTHING)
        self._asked.bound_in(below)  # whoever has it has run it
        return _as_own(below)


def _as_own(module: Optional[str]) -> Meanings:
    return NOTHING if module is None else frozenset([_OWN + module])


def _parameters(arguments: ast.arguments) -> Iterator[str]:
    for each in list(getattr(arguments, "posonlyargs", ())) + arguments.args + arguments.kwonlyargs:
        yield each.arg
    for extra in (arguments.vararg, arguments.kwarg):
        if extra is not None:
            yield extra.arg
