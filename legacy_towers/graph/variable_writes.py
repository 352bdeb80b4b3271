"""The operations that write variables: by gradients, and by assignment."""
from typing import Dict, Iterable, List, NamedTuple, Optional

from legacy_towers.graph.op_kinds import (
    ASSIGN_OPS,
    SCATTER_OPS,
    SLICE_ASSIGN_OPS,
    VARIABLE_OPS,
    applies_gradient,
    writes_variable,
)
from legacy_towers.tensor_types import Operation, Tensor

# Gradient descent applies a sparse gradient by one of these.
_SCATTERS = frozenset("ScatterSub ScatterAdd ResourceScatterSub ResourceScatterAdd".split())
_ASSIGNMENTS = ASSIGN_OPS | SLICE_ASSIGN_OPS | SCATTER_OPS
_GRADIENT_INPUTS = ("grad", "delta", "gradient")
_MOST_STEPS = 10


class Update(NamedTuple):
    """An operation that updates a variable by its gradient.

    Attributes:
      operation: the operation, such as ApplyMomentum.
      variable: the operation that makes the variable.
      gradient: the gradient that it applies; of a sparse one, its values.
    """

    operation: Operation
    variable: Operation
    gradient: Tensor


def find_updates(operations: Iterable[Operation]) -> List[Update]:
    """Returns the updates by gradients among operations."""
    found = []
    for operation in operations:
        gradient = _gradient_of(operation)
        variable = written(operation) if gradient is not None else None
        if variable is not None:
            found.append(Update(operation, variable, gradient))
    return found


def written(operation: Operation) -> Optional[Operation]:
    """Returns the operation of the variable that an operation writes; None if it writes none."""
    if not writes_variable(operation):
        return None
    return variable_of(operation.inputs[0])


def is_assignment(operation: Operation) -> bool:
    """Returns whether an operation writes a value that it is given into a variable, and not by a gradient."""
    return operation.type in _ASSIGNMENTS


def writes_of(operations: Iterable[Operation]) -> Dict[Operation, List[Operation]]:
    """Returns variable -> the operations that write it."""
    found: Dict[Operation, List[Operation]] = {}
    for operation in operations:
        variable = written(operation)
        if variable is not None:
            found.setdefault(variable, []).append(operation)
    return found


def variable_of(tensor: Tensor) -> Optional[Operation]:
    """Returns the operation of the variable that a reference or handle is of; None if it is of none."""
    for _ in range(_MOST_STEPS):
        if tensor.op.type in VARIABLE_OPS:
            return tensor.op
        if not tensor.op.inputs:
            return None
        tensor = tensor.op.inputs[0]
    return None


def value_of(tensor: Tensor) -> Optional[Operation]:
    """Returns the operation of the variable whose value a tensor is, cast or reshaped at most; None otherwise."""
    for _ in range(_MOST_STEPS):
        if tensor.op.type in VARIABLE_OPS:
            return tensor.op
        if tensor.op.type not in ("Identity", "ReadVariableOp", "Cast", "Reshape"):
            return None
        tensor = tensor.op.inputs[0]
    return None


def _gradient_of(operation: Operation) -> Optional[Tensor]:
    if applies_gradient(operation):
        names = [each.name for each in operation.op_def.input_arg]
        for name in _GRADIENT_INPUTS:
            if name in names:
                return operation.inputs[names.index(name)]
        return None
    # "train/update_w/mul" is the gradient times the learning rate.
    if operation.type in _SCATTERS and "/update_" in "/" + operation.name:
        values = operation.inputs[2]
        if values.op.type in ("Mul", "Neg") and "/update_" in "/" + values.op.name:
            large = [each for each in values.op.inputs if each.shape.ndims != 0]
            return large[0] if large else None
        return values
    return None
