"""Whether a loss is made of logarithms, such as cross-entropy, or of squares."""
from typing import List

from legacy_towers.graph.op_kinds import SAME_VALUES_OPS
from legacy_towers.tensor_types import Operation, Tensor

# Of tf.losses.sigmoid_cross_entropy: Log1p. Of a log likelihood: Log.
_LOGARITHMS = frozenset(
    "SoftmaxCrossEntropyWithLogits SparseSoftmaxCrossEntropyWithLogits CTCLoss CTCLossV2 Log Log1p LogSoftmax Softplus"
    .split()
)
_SQUARES = frozenset("Square SquaredDifference L2Loss Pow".split())
# What a loss is computed by from these: sums, means, weights and masks.
_PASSED = SAME_VALUES_OPS | frozenset(
    "Mean Sum Mul RealDiv Div DivNoNan Add AddV2 AddN Sub Neg Select SelectV2 Maximum Pack ConcatV2 Tile StridedSlice "
    "GatherNd GatherV2".split()
)


def is_of_logarithm(loss: Tensor) -> bool:
    """Returns whether a loss is a sum or mean of logarithms, and none of squares."""
    found: List[Operation] = []
    waiting, seen = [loss.op], {loss.op}
    while waiting:
        operation = waiting.pop()
        found.append(operation)
        for tensor in operation.inputs if operation.type in _PASSED else ():
            if tensor.dtype.is_floating and tensor.op not in seen:
                seen.add(tensor.op)
                waiting.append(tensor.op)
    types = {each.type for each in found}
    return not types.isdisjoint(_LOGARITHMS) and types.isdisjoint(_SQUARES) and not any(
        each.type == "Mul" and len(each.inputs) == 2 and each.inputs[0] is each.inputs[1] for each in found)
