"""Finds operations that may retain a fed array after the run, by following the graph from the placeholders.

    placeholder -> Identity -> Reshape -> Stage      the staging area retains the caller's memory
    placeholder -> MatMul                            nothing retains it: the product has new memory

TensorFlow uses an aligned array without copying it. Some operations return the memory of their input, and some retain
their input after the run, so that they see what the caller writes to it later. The rules below are conservative: an
unknown operation with an output of the input's dtype may return its memory, and an unknown stateful one may retain it.
"""
import re
from typing import Any, Iterable, Optional

from legacy_towers.compat import tf
from legacy_towers.graph.op_kinds import (
    ACCUMULATOR_APPLY_OPS,
    COLLECTIVE_OPS,
    ENQUEUE_OPS,
    PYTHON_FUNCTION_OPS,
    RANDOM_OPS,
    READER_INPUT_OPS,
    SEND_RECV_OPS,
    VARIABLE_WRITE_OPS,
    applies_gradient,
)
from legacy_towers.tensor_types import Operation, Tensor

# Operations that retain an input, or pass it to code that might. TensorArrays, stacks and tensor lists retain it during
# one run only, but a loop can pass it on from there.
_RETAINING_OPS = ENQUEUE_OPS | ACCUMULATOR_APPLY_OPS | PYTHON_FUNCTION_OPS | SEND_RECV_OPS | COLLECTIVE_OPS
_RETAINING = re.compile(
    r"^AssignVariable(Op|XlaConcatND)$|^(MakeIterator|.*Dataset(V\d+)?)$|^TensorArray|^Stack(Push)?(V2)?$|^GetSessionHandle(V2)?$"
    r"|^(Stateless|Stateful)?(PartitionedCall|If|While|Case)$|^(SymbolicGradient|RemoteCall|For|MapDefun|XlaLaunch)$"
    r"|^LookupTable(Insert|Import)|^TensorList|^Optional|^Batch(Function)?$|^TPU"
)
# Stateful operations that only read their inputs, or write a copy of them.
_READING_OPS = RANDOM_OPS | READER_INPUT_OPS | VARIABLE_WRITE_OPS
_ONLY_READS = re.compile(
    r"^ResourceGather|^Print|^Assert$|^LookupTableFind|^ReaderRestore|Summary|^Save|^Restore|^(Read|Write)File$"
    r"|^HashTable|^CheckNumerics|^Abort$|^Decode|Logging"
)
# Operations whose results always have new memory, although their dtype may be that of the input. Sums, means, casts,
# transposes, tiles and paddings are not among them: if they have nothing to do, they return their input. Nor are those
# that TensorFlow's optimizer may replace with an identity, such as a product with 1 or a double negation.
_NEW_MEMORY = frozenset([
    "ArgMax", "ArgMin", "AvgPool", "AvgPoolGrad", "BatchMatMul", "BatchMatMulV2", "BiasAddGrad", "Conv2D",
    "Conv2DBackpropFilter", "Conv2DBackpropInput", "Conv3D", "Cos", "CropAndResize", "DecodeRaw",
    "DepthwiseConv2dNative", "Elu", "Equal", "Erf", "Exp", "FloorMod", "FusedBatchNorm", "FusedBatchNormV2",
    "FusedBatchNormV3", "Gather", "GatherNd", "GatherV2", "Greater", "GreaterEqual", "L2Loss", "LRN", "LeakyRelu",
    "Less", "LessEqual", "Log", "Log1p", "LogSoftmax", "MatMul", "MaxPool", "MaxPoolGrad", "Mod", "NotEqual", "OneHot",
    "OnesLike", "Rank", "Relu", "Relu6", "ResizeArea", "ResizeBicubic", "ResourceGather", "ResourceGatherNd", "Rsqrt",
    "Shape", "ShapeN", "Sigmoid", "Sign", "Sin", "Size", "Softmax", "SoftmaxCrossEntropyWithLogits", "Softplus",
    "SparseSoftmaxCrossEntropyWithLogits", "SparseTensorDenseMatMul", "Sqrt", "Square", "SquaredDifference", "Tanh",
    "UnsortedSegmentSum", "Where", "ZerosLike",
])


def retaining_op(placeholders: Iterable[Tensor]) -> Optional[Operation]:
    """Returns an operation that may retain what is fed to one of `placeholders` after the run; None if there is none.
    """
    waiting = list(placeholders)
    seen = {tensor.name for tensor in waiting}
    while waiting:
        tensor = waiting.pop()
        for operation in tensor.consumers():
            if _retains(operation):
                return operation
            if operation.type in _NEW_MEMORY:
                continue
            for output in operation.outputs:
                if output.name not in seen and _may_share_memory(tensor, operation, output):
                    seen.add(output.name)
                    waiting.append(output)
    return None


def _retains(operation: Operation) -> bool:
    if operation.type in _RETAINING_OPS or _RETAINING.search(operation.type):
        return True
    definition = operation.op_def
    stateful = definition is None or definition.is_stateful  # None: a function of the graph
    reads = operation.type in _READING_OPS or applies_gradient(operation) or _ONLY_READS.search(operation.type)
    return stateful and not reads


def _may_share_memory(tensor: Tensor, operation: Operation, output: Any) -> bool:
    if operation.type == "Bitcast" or output.dtype in (tf.variant, tf.resource):
        return True
    # A reference to a variable is the variable's own memory.
    return bool(output.dtype == tensor.dtype.base_dtype)
