"""The calls of tf.gradients in a graph, found by the names of the operations that they add."""
import re
from typing import Dict, Iterable, List, NamedTuple, Optional, Set

from legacy_towers.graph.walk import consumers_of
from legacy_towers.tensor_types import Operation

# tf.gradients begins at an operation of this name, in a scope of its own.
_START = re.compile(r"(?P<scope>.+)/grad_ys_\d+")


class GradientCall(NamedTuple):
    """One call of tf.gradients, such as one compute_gradients.

    Attributes:
      scope: the name scope of its operations ("tower_0/gradients").
      starts: where it begins: the gradients of what is differentiated, ones unless the caller gave others.
      roots: the operations that it differentiates, sorted by their names.
    """

    scope: str
    starts: List[Operation]
    roots: List[Operation]


class GradientCalls:
    """The calls of tf.gradients in a graph.

    Args:
      operations: the operations of the graph.

    Attributes:
      by_scope: scope -> call.
    """

    def __init__(self, operations: Iterable[Operation]) -> None:
        self.by_scope: Dict[str, GradientCall] = {}
        by_name = {each.name: each for each in operations}
        for operation in list(by_name.values()):
            match = _START.fullmatch(operation.name) if "/grad_ys_" in operation.name else None
            if match is not None:
                scope = match.group("scope")
                call = self.by_scope.setdefault(scope, GradientCall(scope, [], []))
                call.starts.append(operation)
        for call in self.by_scope.values():
            roots: Set[Operation] = set()
            for start in call.starts:
                roots.update(_differentiated(start, call.scope, by_name))
            call.roots.extend(sorted(roots, key=lambda each: str(each.name)))

    def of(self, operation: Operation) -> Optional[GradientCall]:
        """Returns the call that has added `operation`; None if none has."""
        scope = operation.name
        while "/" in scope:
            scope = scope.rpartition("/")[0]
            if scope in self.by_scope:
                return self.by_scope[scope]
        return None


def _differentiated(start: Operation, scope: str, by_name: Dict[str, Operation]) -> Set[Operation]:
    """Returns the operations whose gradients are computed directly from `start`."""
    found = set()
    readers = consumers_of(start)
    # On TF 1.15 it is the value that "gradients/Fill" repeats.
    readers += [each for reader in readers if reader.type == "Fill" for each in consumers_of(reader)]
    for reader in readers:
        # "gradients/tower_0/loss_grad/Reshape" belongs to the gradient of "tower_0/loss".
        if reader.name.startswith(scope + "/"):
            name, separator, _ = reader.name[len(scope) + 1:].rpartition("_grad/")
            if separator and name in by_name:
                found.add(by_name[name])
    return found
