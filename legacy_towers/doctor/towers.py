"""Finds the towers of a graph: the replicas of one model whose gradients one step computes.

    tower_0/.../loss ---+
                        +--- one tf.gradients of the mean, or one tf.gradients per tower ---> update
    tower_1/.../loss ---+

A tower is known by a name scope (tower_0, tower1, clone_2, replica_3, gpu_4) or, in a graph without these, by the index
of its GPU. Branches of one model may have such names, too (one tower per task), so towers count as replicas only if
they read the same variables.
"""
import re
from typing import Any, Callable, Dict, List, NamedTuple, Optional, Set

from legacy_towers.graph.gradient_calls import GradientCalls
from legacy_towers.graph.op_kinds import VARIABLE_OPS
from legacy_towers.graph.walk import ancestors
from legacy_towers.tensor_types import Operation, Tensor

_SCOPE = re.compile(r"(?:tower|clone|replica|gpu)(?:_?\d+)?", re.IGNORECASE)
_GPU = re.compile(r"/(?:device:)?GPU:(\d+)", re.IGNORECASE)


class Tower(NamedTuple):
    """A replica of the model.

    Attributes:
      name: its name scope ("tower_0"), or its device ("/device:GPU:0").
      losses: its scalar float tensors that the rest of the graph reads, sorted by their names.
    """

    name: str
    losses: List[Tensor]


def find_towers(operations: List[Operation], trained: Set[Operation]) -> List[Tower]:
    """Returns the towers that a graph trains, in the order of their names; an empty list if there are not several.

    Args:
      operations: the operations of the graph.
      trained: those that must run to update variables by gradients.
    """
    calls = GradientCalls(operations)
    roots: Set[Operation] = set()
    for call in calls.by_scope.values():
        if not trained.isdisjoint(call.starts):
            roots.update(call.roots)
    if not roots:
        return []
    forward = ancestors(list(roots), graph=operations[0].graph)
    for key_of in KEYS:
        towers = _towers(forward, roots, key_of)
        if len(towers) > 1:
            return towers if _are_replicas(towers) else []
    return []


def _scope_of(operation: Operation) -> Optional[str]:
    for part in operation.name.split("/")[:-1]:
        if _SCOPE.fullmatch(part):
            return str(part)
    return None


def _gpu_of(operation: Operation) -> Optional[str]:
    # Where `legacy-towers run` places operations of a missing GPU on another device, the GPU counts.
    requested: Dict[str, str] = getattr(operation.graph, "requested_devices", {})
    match = _GPU.search(requested.get(operation.name) or operation.device or "")
    return "/device:GPU:" + match.group(1) if match else None


# How to know the tower of an operation, the best way first.
KEYS = (_scope_of, _gpu_of)


def _towers(
    forward: Set[Operation], roots: Set[Operation], key_of: Callable[[Operation], Optional[str]]
) -> List[Tower]:
    losses: Dict[str, List[Tensor]] = {}
    for operation in forward:
        key = key_of(operation)
        if key is None:
            continue
        for output in operation.outputs:
            outside = any(each in forward and key_of(each) != key for each in output.consumers())
            if (outside or operation in roots) and output.dtype.is_floating and output.shape.ndims == 0:
                losses.setdefault(key, []).append(output)
    of_tower = {tensor.op: key for key, tensors in losses.items() for tensor in tensors}
    towers = []
    for key in sorted(losses):
        # What reads another tower's loss is a mean over towers.
        own = [
            each for each in losses[key]
            if all(of_tower.get(op, key) == key for op in ancestors([each], graph=each.graph))
        ]
        own = [each for each in own if _variables([each])]
        if own:
            towers.append(Tower(key, sorted(own, key=_name)))
    return towers


def _name(tensor: Any) -> str:
    return str(tensor.name)


def _variables(losses: List[Tensor]) -> Set[Operation]:
    return {each for each in ancestors(losses, graph=losses[0].graph) if each.type in VARIABLE_OPS}


def _are_replicas(towers: List[Tower]) -> bool:
    variables = [_variables(each.losses) for each in towers]
    return all(each == variables[0] for each in variables)


def tower_scope(operation: Operation) -> Optional[str]:
    """Returns the name scope by which an operation belongs to a tower ("tower_0"); None if it has none."""
    return _scope_of(operation)
