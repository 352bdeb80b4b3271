"""Which tensors have one row per example, so that the rows of all towers together are the tensor of the whole batch.

    tower 0 has rows A B, tower 1 has rows C D  ->  the batch has rows A B C D
"""
from typing import Any, Callable, Dict, FrozenSet, List, Optional, Set, Tuple

from legacy_towers.compat import tf
from legacy_towers.graph.op_kinds import draws_random_numbers
from legacy_towers.graph.row_rules import ELEMENTWISE, ROW_RULES
from legacy_towers.replication.sparse_feeds import has_rows
from legacy_towers.tensor_types import Operation, Tensor


def _types(names: str) -> FrozenSet[str]:
    return frozenset(names.split())


# Of the first input; further ones are weights. Rows of each output.
_FIRST = _types(
    "AvgPool AvgPool3D Conv2D Conv3D DepthToSpace DepthwiseConv2dNative Dilation2D LRN MaxPool "
    "MaxPool3D MaxPoolV2 MirrorPad ResizeBicubic ResizeBilinear ResizeNearestNeighbor SpaceToDepth TopK TopKV2 "
    "AdjustContrastv2 RGBToHSV HSVToRGB Quantize MatrixBandPart MatrixDiag LookupTableFindV2 FusedPadConv2D"
)
_ALL = _types(
    "SoftmaxCrossEntropyWithLogits SparseSoftmaxCrossEntropyWithLogits InTopK InTopKV2 EuclideanNorm"
)
_LAST_AXIS = _types("Softmax LogSoftmax")
_REDUCTIONS = _types("All Any Max Mean Min Prod Sum ArgMax ArgMin EuclideanNorm")
_RESHAPING = _types("Reshape Squeeze ExpandDims Switch Merge")
NORMALIZATIONS = _types("FusedBatchNorm FusedBatchNormV2 FusedBatchNormV3")


class Rows:
    """Finds the tensors that have one row per example.

    Args:
      size: the number of examples if the graph has it fixed.
      are_of_towers: whether each tower has a batch of its own, not a part of one.
    """

    def __init__(self, size: Optional[int] = None, are_of_towers: bool = False) -> None:
        self._size, self.are_of_towers = size, are_of_towers
        self._rows: Set[Tensor] = set()
        self._operations: Set[Operation] = set()
        self._sparse: Dict[Tensor, Any] = {}
        # Operations that combine examples with a statistic of their batch.
        self.statistics: List[Operation] = []

    def note(self, tensors: Any) -> None:
        """Records tensors that have one row per example."""
        for tensor in tensors:
            self._rows.add(tensor)
            self._operations.add(tensor.op)

    def note_sparse(self, tensors: Any) -> None:
        """Records sparse tensors that have one row per example."""
        self._sparse.update({each.indices: each for each in tensors})

    def __contains__(self, tensor: Tensor) -> bool:
        return tensor in self._rows

    def follow(
        self, operations: List[Operation], dependent: Set[Operation], in_loop: Callable[[Operation], Any]
    ) -> None:
        """Finds tensors with a row per example among the outputs of `operations`, which are sorted, inputs first."""
        for operation in operations:
            if operation in self._operations:
                continue
            self._operations.add(operation)
            if not in_loop(operation):
                for output in self._outputs(operation, dependent):
                    self._rows.add(output)

    def is_aligned(self, operation: Operation, index: int) -> bool:
        """Returns whether an operand of a fixed batch has a row for each row of the output."""
        operand, output = operation.inputs[index], operation.outputs[0]
        return (
            self._size is not None and operation.type in ELEMENTWISE and output in self._rows
            and bool(operand.shape.ndims) and operand.shape.ndims == output.shape.ndims
            and tf.dimension_value(operand.shape[0]) == self._size != 1
        )

    def _outputs(self, operation: Operation, dependent: Set[Operation]) -> List[Tensor]:
        inputs, outputs, kind = list(operation.inputs), list(operation.outputs), operation.type
        from_examples = [each for each in inputs if each.op in dependent]
        if not outputs or not from_examples:
            return []
        if draws_random_numbers(operation):
            # Drawn for the whole batch, and split; see `Towers`.
            return [each for each in outputs if is_batch_by_shape(each)]
        if has_rows(operation, self._sparse, from_examples):
            return outputs
        rows = [each for each in from_examples if each in self._rows]
        if not rows:
            return _after_loop(operation)
        if kind in ELEMENTWISE:
            return self._elementwise(operation, from_examples, rows, dependent)
        if kind in NORMALIZATIONS:
            if operation.get_attr("is_training"):
                self.statistics.append(operation)
            return outputs[:1] if inputs[0] in self._rows else []
        if len(rows) != len(from_examples):
            return []
        if kind in _FIRST:
            return outputs if inputs[0] in self._rows else []
        if kind in _ALL:
            return outputs
        if kind in _LAST_AXIS:
            return outputs if (outputs[0].shape.ndims or 0) > 1 else []
        if kind in _REDUCTIONS:
            return outputs if _axes_without_first(operation) else []
        rule = ROW_RULES.get(kind)
        return outputs if rule is not None and rule(operation, self._rows) else []

    def _elementwise(self, operation: Operation, from_examples: List[Tensor], rows: List[Tensor],
                     dependent: Set[Operation]) -> List[Tensor]:
        output = operation.outputs[0]
        ndims = output.shape.ndims
        if operation.type.startswith("BiasAdd"):
            return [output] if operation.inputs[0] in self._rows else []
        if ndims is None or any(each.shape.ndims != ndims for each in rows):
            # A unary operation keeps the rank, even where it is unknown.
            return [output] if len(operation.inputs) == 1 else []
        for each in operation.inputs:
            if each in self._rows or each.shape.ndims is None or each.shape.ndims < ndims:
                continue
            first = tf.dimension_value(each.shape[0]) if ndims else None
            if first != 1 and (self._size is None or first != self._size):
                return []
        others = [each for each in from_examples if each not in self._rows and each.shape.ndims != 0]
        if not all(self._is_statistic(each, dependent) for each in others):
            return []
        if others:
            self.statistics.append(operation)
        return [output]

    def _is_statistic(self, tensor: Tensor, dependent: Set[Operation]) -> bool:
        """Returns whether a tensor is computed from means over rows only, as the mean and variance of a batch are."""
        waiting, seen = [tensor], {tensor}
        while waiting:
            each = waiting.pop()
            operation = each.op
            if operation.type == "Mean" and operation.inputs[0] in self._rows and reduced_axes(operation)[0]:
                continue
            if operation.type in NORMALIZATIONS and each.value_index > 0:
                continue
            if operation.type not in ELEMENTWISE and operation.type not in _RESHAPING:
                return False
            for before in operation.inputs:
                if before.op in dependent and before not in seen:
                    if before in self._rows:
                        return False
                    seen.add(before)
                    waiting.append(before)
        return True


def is_batch_by_shape(tensor: Tensor) -> bool:
    """Returns whether only the first dimension of a tensor is unknown."""
    sizes = [tf.dimension_value(each) for each in tensor.shape] if tensor.shape.ndims else []
    return bool(sizes) and sizes[0] is None and None not in sizes[1:]


def _after_loop(operation: Operation) -> List[Tensor]:
    """Returns what a loop computes for each example, by its shape: final states, and outputs that are transposed."""
    output = operation.outputs[0]
    if operation.type == "Transpose":
        order = tf.get_static_value(operation.inputs[1])
        is_of_loop = order is not None and len(order) > 1 and int(order[0]) == 1
    else:
        is_of_loop = operation.type == "Exit"
    return [output] if is_of_loop and (output.shape.ndims or 0) > 1 and is_batch_by_shape(output) else []


def _axes(operation: Operation) -> Optional[List[int]]:
    value = tf.get_static_value(operation.inputs[1])
    ndims = operation.inputs[0].shape.ndims
    if value is None or ndims is None:
        return None
    return [int(each) % ndims for each in value.reshape(-1)] if ndims else []


def _axes_without_first(operation: Operation) -> bool:
    axes = _axes(operation)
    return axes is not None and 0 not in axes and bool(operation.inputs[0].shape.ndims)


def reduced_axes(operation: Operation) -> Tuple[bool, bool]:
    """Returns whether a Mean, Sum, ... is over rows, and whether it is over all dimensions."""
    axes, ndims = _axes(operation), operation.inputs[0].shape.ndims
    if axes is None:
        return operation.outputs[0].shape.ndims == 0, operation.outputs[0].shape.ndims == 0
    return 0 in axes, ndims is not None and len(set(axes)) == ndims
