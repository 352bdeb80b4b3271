"""What may still hold a fed array after the run: found on the built graph, from the placeholders forward.

    placeholder -> Identity -> Reshape -> Stage      the staging area holds the caller's own memory
    placeholder -> MatMul                            nothing does: a product lies in new memory

TensorFlow takes an aligned array as it is. An operation whose output lies in its input's memory passes that on; one
that keeps its input past the run sees whatever the caller writes there later. The rules below err on the safe side:
what is unknown and has an output of the input's dtype may pass its memory on, and what is unknown and stateful may keep
it.
"""
import re
from typing import Any, Iterable, Optional

from legacy_towers.compat import tf

# Operations that keep an input, or hand it to code that might. TensorArrays, stacks and tensor lists hold it for one
# run only, but a loop can carry it to one that doesn't.
_KEEPS = re.compile(
    r"(Queue|Barrier|Accumulator).*(Enqueue|Insert|Apply)|Enqueue|^(Ordered)?(Map)?Stage$|^AssignVariableOp$"
    r"|PyFunc|^(MakeIterator|.*Dataset(V\d+)?)$|^TensorArray|^Stack(Push)?(V2)?$|^GetSessionHandle(V2)?$"
    r"|^(Stateless|Stateful)?(PartitionedCall|If|While|Case)$|^(SymbolicGradient|RemoteCall|For|MapDefun|XlaLaunch)$"
    r"|^LookupTable(Insert|Import)|^TensorList|^Optional|^Batch(Function)?$|^_?(Send|HostSend)$|^TPU|^Collective|^Nccl"
)
# Stateful operations that only read their inputs, or write a copy of them.
_ONLY_READS = re.compile(
    r"^Resource(Gather|Scatter|Apply|SparseApply|StridedSliceAssign)|^(Sparse)?Apply|^Assign(Add|Sub)(VariableOp)?$"
    r"|^Assign$|^Scatter|^Print|^Assert$|^LookupTableFind|^(Stateless)?(Random|Truncated|Parameterized|Multinomial)"
    r"|Summary|^Save|^Restore|^(Read|Write)File$|^HashTable|^CheckNumerics|Reader(Read|Restore)|^Abort$|^Decode|Logging"
)
# Operations whose results always lie in new memory, although their dtype may be that of the input. Sums, means, casts,
# transposes, tiles and paddings are not among them: where there is nothing to do, they pass their input on. Nor are
# those that TensorFlow's optimizer replaces by an identity, such as a product with 1 or a twofold negation.
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


def keeper_of(placeholders: Iterable[Any]) -> Optional[Any]:
    """Returns an operation that may hold what is fed to one of `placeholders` after the run, None if there is none.

    Args:
      placeholders: tensors of one graph.
    """
    waiting = list(placeholders)
    seen = {tensor.name for tensor in waiting}
    while waiting:
        tensor = waiting.pop()
        for operation in tensor.consumers():
            if _keeps(operation):
                return operation
            if operation.type in _NEW_MEMORY:
                continue
            for output in operation.outputs:
                if output.name not in seen and _may_share(tensor, operation, output):
                    seen.add(output.name)
                    waiting.append(output)
    return None


def _keeps(operation: Any) -> bool:
    if _KEEPS.search(operation.type):
        return True
    definition = operation.op_def
    stateful = definition is None or definition.is_stateful  # None: a function of the graph
    return stateful and not _ONLY_READS.search(operation.type)


def _may_share(tensor: Any, operation: Any, output: Any) -> bool:
    if operation.type == "Bitcast" or output.dtype in (tf.variant, tf.resource):
        return True
    # A reference to a variable is the variable's own memory.
    return bool(output.dtype == tensor.dtype.base_dtype)
