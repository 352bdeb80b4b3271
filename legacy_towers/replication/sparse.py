"""Finds the gradients that are sparse, and the variable that a gradient is of."""
from typing import Dict, Iterable, List, Set

from legacy_towers.graph.variable_writes import variable_of
from legacy_towers.replication.regions import Regions
from legacy_towers.replication.writes import writes_state
from legacy_towers.tensor_types import Operation, Tensor

_WITH_INDICES = ("SparseApply", "ResourceSparseApply", "Scatter", "ResourceScatter", "UnsortedSegmentSum")


def sparse_gradients(
    operations: Iterable[Operation], gradients: Set[Tensor], regions: Regions
) -> Set[Tensor]:
    """Returns those of `gradients` that are values or indices of sparse gradients.

    Args:
      operations: what reads gradients.
      gradients: the gradients.
      regions: the parts of the step.
    """
    found = {each for each in gradients if not each.dtype.is_floating}
    for operation in operations:
        if operation.type.startswith(_WITH_INDICES):
            first = 0 if operation.type == "UnsortedSegmentSum" else 1
            inputs = list(operation.inputs)[first:]
            if operation.type == "UnsortedSegmentSum":
                inputs = inputs[:1]
            found.update(_gradients_before(inputs, gradients, regions))
    return found


def variables_of(
    operations: Iterable[Operation], gradients: Set[Tensor], regions: Regions, trained: Set[Operation]
) -> Dict[Tensor, List[Operation]]:
    """Returns gradient -> the variables that it updates.

    Args:
      operations: what reads gradients.
      gradients: the gradients.
      regions: the parts of the step.
      trained: the operations that make variables which the loss depends on.
    """
    found: Dict[Tensor, List[Operation]] = {}
    for operation in operations:
        if not writes_state(operation) or not operation.inputs:
            continue
        variable = variable_of(operation.inputs[0])
        if variable not in trained:
            continue
        for gradient in _gradients_before(list(operation.inputs)[1:], gradients, regions):
            if variable not in found.setdefault(gradient, []):
                found[gradient].append(variable)
    return found


def _gradients_before(tensors: List[Tensor], gradients: Set[Tensor], regions: Regions) -> Set[Tensor]:
    """Returns the gradients that tensors are computed from, not by way of scalars such as a norm."""
    found: Set[Tensor] = set()
    waiting, seen = list(tensors), set(tensors)
    while waiting:
        tensor = waiting.pop()
        if tensor in gradients:
            found.add(tensor)
            continue
        for each in tensor.op.inputs:
            if each.op in regions.after and each not in seen and each.shape.ndims != 0:
                seen.add(each)
                waiting.append(each)
    return found

