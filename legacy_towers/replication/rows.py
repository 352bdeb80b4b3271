"""Which tensors have one row per example, so that the rows of all towers together are the tensor of the whole batch.

    tower 0 has rows A B, tower 1 has rows C D  ->  the batch has rows A B C D
"""
from typing import Any, Callable, Dict, FrozenSet, List, Optional, Set, Tuple

from legacy_towers.compat import tf
from legacy_towers.graph.op_kinds import draws_random_numbers
from legacy_towers.replication.sparse_feeds import has_rows
from legacy_towers.tensor_types import Operation, Tensor


def _types(names: str) -> FrozenSet[str]:
    return frozenset(names.split())


# Each value of the output is computed from the values at the same place, or at the same place of a smaller operand.
ELEMENTWISE = _types(
    "Abs Acos Acosh Add AddN AddV2 Asin Asinh Atan Atan2 Atanh BiasAdd BiasAddV1 Cast Ceil CheckNumerics ClipByValue "
    "Cos Cosh Digamma Div DivNoNan Elu EnsureShape Equal Erf Erfc Exp Expm1 Floor FloorDiv FloorMod Greater "
    "GreaterEqual Identity Inv Invert IsFinite IsInf IsNan LeakyRelu Less LessEqual Lgamma Log Log1p LogicalAnd "
    "LogicalNot LogicalOr Maximum Minimum Mod Mul MulNoNan Neg NotEqual OnesLike Pow PreventGradient RealDiv "
    "Reciprocal Relu Relu6 Rint Round Rsqrt Select SelectV2 Selu Sigmoid Sign Sin Sinh Snapshot Softplus Softsign "
    "Sqrt Square SquaredDifference StopGradient Sub Tan Tanh TruncateDiv TruncateMod ZerosLike Xdivy Xlogy "
    "FakeQuantWithMinMaxArgs FakeQuantWithMinMaxVars Bitcast Print PrintV2 AsString StringToNumber DecodeRaw "
    "StringToHashBucketFast ReluGrad TanhGrad SigmoidGrad"
)
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
        rule = _RULES.get(kind)
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


def _is_rows_by_shape(operation: Operation, rows: Set[Tensor]) -> bool:
    """A reshape keeps the order, so that rows stay together where all other dimensions are known."""
    shape = operation.outputs[0].shape
    return operation.inputs[0] in rows and bool(shape.ndims) and all(
        tf.dimension_value(each) is not None for each in shape[1:]
    )


def _constant(tensor: Tensor) -> Any:
    return tf.get_static_value(tensor)


def _transpose(operation: Operation, rows: Set[Tensor]) -> bool:
    order = _constant(operation.inputs[1])
    return order is not None and len(order) > 0 and int(order[0]) == 0


def _multiply(operation: Operation, rows: Set[Tensor]) -> bool:
    return operation.inputs[0] in rows and operation.inputs[1] not in rows and not operation.get_attr("transpose_a")


def _batch_multiply(operation: Operation, rows: Set[Tensor]) -> bool:
    first, second = operation.inputs[0], operation.inputs[1]
    return first in rows and (first.shape.ndims or 0) > 2 and (
        second in rows and second.shape.ndims == first.shape.ndims or second not in rows
    ) or first in rows and first.shape.ndims == 2 and second not in rows and not operation.get_attr("adj_x")


def _gather(operation: Operation, rows: Set[Tensor]) -> bool:
    axis = _constant(operation.inputs[2]) if operation.type == "GatherV2" else 0
    return operation.inputs[1] in rows and operation.inputs[0] not in rows and axis is not None and int(axis) == 0


def _axis_after_first(index: int) -> Callable[[Operation, Set[Tensor]], bool]:
    def rule(operation: Operation, rows: Set[Tensor]) -> bool:
        axis = _constant(operation.inputs[index])
        ndims = next((each.shape.ndims for each in operation.inputs if each in rows), None)
        return axis is not None and ndims is not None and int(axis.reshape(-1)[0]) % ndims != 0

    return rule


def _concat(operation: Operation, rows: Set[Tensor]) -> bool:
    return all(each in rows for each in list(operation.inputs)[:-1]) and _axis_after_first(-1)(operation, rows)


def _expand(operation: Operation, rows: Set[Tensor]) -> bool:
    axis, ndims = _constant(operation.inputs[1]), operation.inputs[0].shape.ndims
    return axis is not None and ndims is not None and int(axis.reshape(-1)[0]) % (ndims + 1) != 0


def _squeeze(operation: Operation, rows: Set[Tensor]) -> bool:
    dims, ndims = list(operation.get_attr("squeeze_dims")), operation.inputs[0].shape.ndims
    if dims and ndims is not None:
        return all(int(each) % ndims != 0 for each in dims)
    return _is_rows_by_shape(operation, rows) and ndims is not None and all(
        tf.dimension_value(each) is not None for each in operation.inputs[0].shape[1:]
    ) and tf.dimension_value(operation.inputs[0].shape[0]) != 1


def _pack(operation: Operation, rows: Set[Tensor]) -> bool:
    ndims = operation.outputs[0].shape.ndims
    return ndims is not None and operation.get_attr("axis") % ndims != 0 and all(
        each in rows for each in operation.inputs)


def _unpack(operation: Operation, rows: Set[Tensor]) -> bool:
    ndims = operation.inputs[0].shape.ndims
    return ndims is not None and operation.get_attr("axis") % ndims != 0


def _one_hot(operation: Operation, rows: Set[Tensor]) -> bool:
    ndims = operation.outputs[0].shape.ndims
    return operation.inputs[0] in rows and ndims is not None and operation.get_attr("axis") % ndims != 0


def _strided_slice(operation: Operation, rows: Set[Tensor]) -> bool:
    masks = [operation.get_attr(each) for each in ("begin_mask", "end_mask")]
    strides = _constant(operation.inputs[3])
    changed = [operation.get_attr(each) & 1 for each in ("ellipsis_mask", "new_axis_mask", "shrink_axis_mask")]
    if operation.get_attr("ellipsis_mask") & 1:
        # x[..., 0] keeps all rows of what has more than one dimension.
        return (operation.inputs[0].shape.ndims or 0) > 1 and len(strides if strides is not None else ()) == 2
    return all(each & 1 for each in masks) and not any(changed) and strides is not None and int(strides[0]) == 1


def _slice(operation: Operation, rows: Set[Tensor]) -> bool:
    begin, size = _constant(operation.inputs[1]), _constant(operation.inputs[2])
    if begin is None or size is None or int(begin[0]) != 0:
        return False
    rows_in = tf.dimension_value(operation.inputs[0].shape[0])
    return int(size[0]) == -1 or rows_in is not None and int(size[0]) == rows_in


def _pad(operation: Operation, rows: Set[Tensor]) -> bool:
    padding = _constant(operation.inputs[1])
    return padding is not None and not padding[0].any()


def _tile(operation: Operation, rows: Set[Tensor]) -> bool:
    multiples = _constant(operation.inputs[1])
    return operation.inputs[0] in rows and multiples is not None and int(multiples[0]) == 1


def _switch(operation: Operation, rows: Set[Tensor]) -> bool:
    return operation.inputs[0] in rows


def _merge(operation: Operation, rows: Set[Tensor]) -> bool:
    return all(each in rows for each in operation.inputs)


_RULES: Dict[str, Callable[[Operation, Set[Tensor]], bool]] = {
    "Reshape": _is_rows_by_shape, "Transpose": _transpose, "MatMul": _multiply, "BatchMatMul": _batch_multiply,
    "BatchMatMulV2": _batch_multiply, "BatchMatMulV3": _batch_multiply, "GatherV2": _gather, "Gather": _gather,
    "ResourceGather": _gather, "ConcatV2": _concat, "ExpandDims": _expand, "Squeeze": _squeeze, "Pack": _pack,
    "Unpack": _unpack, "OneHot": _one_hot, "StridedSlice": _strided_slice, "Slice": _slice, "Pad": _pad, "PadV2": _pad,
    "Tile": _tile, "Split": _axis_after_first(0), "SplitV": _axis_after_first(2), "Switch": _switch, "Merge": _merge,
    "Cumsum": _axis_after_first(1), "Cumprod": _axis_after_first(1), "ReverseV2": _axis_after_first(1),
}


def reduced_axes(operation: Operation) -> Tuple[bool, bool]:
    """Returns whether a Mean, Sum, ... is over rows, and whether it is over all dimensions."""
    axes, ndims = _axes(operation), operation.inputs[0].shape.ndims
    if axes is None:
        return operation.outputs[0].shape.ndims == 0, operation.outputs[0].shape.ndims == 0
    return 0 in axes, ndims is not None and len(set(axes)) == ndims
