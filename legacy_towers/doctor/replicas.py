"""The forward operations of towers that read the same variables, whether or not they depend on each other."""
from typing import Dict, Iterable, List, Set

from legacy_towers.doctor.towers import tower_scope
from legacy_towers.graph.op_kinds import applies_gradient
from legacy_towers.tensor_types import Operation

_VARIABLES = ("VariableV2", "Variable", "VarHandleOp")
_READS = ("Identity", "ReadVariableOp")


def replica_operations(trained: Iterable[Operation]) -> Dict[str, List[Operation]]:
    """Returns tower -> its operations before the gradients; {} if the towers do not read the same variables, or most.

    A constant does nothing that could wait, so it is not among them.

    Args:
      trained: the operations that must run to update variables by gradients, in any order.
    """
    groups: Dict[str, List[Operation]] = {}
    for operation in trained:
        tower = tower_scope(operation)
        waits = bool(operation.inputs or operation.control_inputs)
        if tower is not None and waits and not is_backward(operation):
            groups.setdefault(tower, []).append(operation)
    read = [_variables_read(operations) for operations in groups.values()]
    if len(read) < 2 or not all(read) or 2 * len(set.intersection(*read)) < len(set.union(*read)):
        return {}
    return groups


def is_backward(operation: Operation) -> bool:
    """Returns whether an operation computes a gradient or applies one, by its name and type."""
    return applies_gradient(operation) or any(
        part.startswith("gradients") or part.endswith("_grad") for part in operation.name.split("/")
    )


def _variables_read(operations: List[Operation]) -> Set[Operation]:
    found = set()
    for operation in operations:
        for tensor in operation.inputs:
            source = tensor.op
            if source.type in _READS and source.inputs:
                source = source.inputs[0].op
            if source.type in _VARIABLES:
                found.add(source)
    return found
