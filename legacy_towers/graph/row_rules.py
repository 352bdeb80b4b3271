"""Which operations keep one row per example: elementwise ones, and others by a rule for each type of operation.

A rule gets an operation and the tensors that have a row per example, among them all of its inputs that depend on the
examples; it returns whether the outputs have a row per example too.
"""
from typing import Any, Callable, Dict, Set

from legacy_towers.compat import tf
from legacy_towers.tensor_types import Operation, Tensor

# Each value of the output is computed from the values at the same place, or at the same place of a smaller operand.
ELEMENTWISE = frozenset((
    "Abs Acos Acosh Add AddN AddV2 Asin Asinh Atan Atan2 Atanh BiasAdd BiasAddV1 Cast Ceil CheckNumerics ClipByValue "
    "Cos Cosh Digamma Div DivNoNan Elu EnsureShape Equal Erf Erfc Exp Expm1 Floor FloorDiv FloorMod Greater "
    "GreaterEqual Identity Inv Invert IsFinite IsInf IsNan LeakyRelu Less LessEqual Lgamma Log Log1p LogicalAnd "
    "LogicalNot LogicalOr Maximum Minimum Mod Mul MulNoNan Neg NotEqual OnesLike Pow PreventGradient RealDiv "
    "Reciprocal Relu Relu6 Rint Round Rsqrt Select SelectV2 Selu Sigmoid Sign Sin Sinh Snapshot Softplus Softsign "
    "Sqrt Square SquaredDifference StopGradient Sub Tan Tanh TruncateDiv TruncateMod ZerosLike Xdivy Xlogy "
    "FakeQuantWithMinMaxArgs FakeQuantWithMinMaxVars Bitcast Print PrintV2 AsString StringToNumber DecodeRaw "
    "StringToHashBucketFast ReluGrad TanhGrad SigmoidGrad"
).split())


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


ROW_RULES: Dict[str, Callable[[Operation, Set[Tensor]], bool]] = {
    "Reshape": _is_rows_by_shape, "Transpose": _transpose, "MatMul": _multiply, "BatchMatMul": _batch_multiply,
    "BatchMatMulV2": _batch_multiply, "BatchMatMulV3": _batch_multiply, "GatherV2": _gather, "Gather": _gather,
    "ResourceGather": _gather, "ConcatV2": _concat, "ExpandDims": _expand, "Squeeze": _squeeze, "Pack": _pack,
    "Unpack": _unpack, "OneHot": _one_hot, "StridedSlice": _strided_slice, "Slice": _slice, "Pad": _pad, "PadV2": _pad,
    "Tile": _tile, "Split": _axis_after_first(0), "SplitV": _axis_after_first(2), "Switch": _switch, "Merge": _merge,
    "Cumsum": _axis_after_first(1), "Cumprod": _axis_after_first(1), "ReverseV2": _axis_after_first(1),
}
