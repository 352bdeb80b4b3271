"""Losses that divide a sum over examples by the static size of their batch, such as those of tf.losses.

    sum(losses of 8 examples) / 8

Towers that read batches of their own each divide by 8: the loss of all together is the mean of theirs, as it is where
the size is computed in the step. Towers that share the batch divide their parts by 8, too: their losses are added.
"""
from typing import Optional, Set

from legacy_towers.compat import tf
from legacy_towers.compat.versions.graph import constant_value
from legacy_towers.graph.op_kinds import ADD_OPS, DIVIDE_OPS, SAME_VALUES_OPS
from legacy_towers.tensor_types import Operation, Tensor

# What a loss goes through after its reduction, as a mean or a sum as before.
PASSED_OPS = SAME_VALUES_OPS | {"Neg", "StopGradient", "Print", "Switch"}
_SUMS = ("Sum", "L2Loss")
_PASSED = PASSED_OPS | ADD_OPS | {"Mul", "Sub", "Sum"}
# By which a float32 quotient 1 / size may be off.
_CLOSE = 1e-6


def is_mean(operation: Operation, dependent: Set[Operation]) -> bool:
    """Returns whether an operation divides a sum by the number of what is summed, or of its rows, a constant.

    Args:
      operation: any one.
      dependent: what depends on the examples.
    """
    if operation.type not in DIVIDE_OPS and operation.type != "Mul":
        return False
    own = [each for each in operation.inputs if each.op in dependent]
    others = [each for each in operation.inputs if each.op not in dependent]
    if len(own) != 1 or len(others) != 1 or operation.type in DIVIDE_OPS and own[0] is not operation.inputs[0]:
        return False
    summed = _summed(own[0], dependent)
    if summed is None or not summed.shape.rank or not summed.shape.is_fully_defined():
        return False
    value = constant_value(others[0])
    if value is None or value.size != 1 or not value.item():
        return False
    divisor = value.item() if operation.type in DIVIDE_OPS else 1 / value.item()
    sizes = {summed.shape.num_elements(), tf.dimension_value(summed.shape[0])}
    if operation.type == "Mul":
        sizes.discard(1)
    return any(abs(divisor - size) <= _CLOSE * size for size in sizes)


def _summed(tensor: Tensor, dependent: Set[Operation]) -> Optional[Tensor]:
    """Returns what a scalar is the sum of, or the first of such sums; None if it is not a sum."""
    while tensor.shape.rank == 0:
        operation = tensor.op
        own = [each for each in operation.inputs if each.op in dependent]
        if operation.type in _SUMS and own and own[0].shape.rank != 0:
            return own[0]
        if not own or operation.type not in _PASSED or operation.type == "Mul" and len(own) > 1:
            return None
        tensor = own[0]
    return None
