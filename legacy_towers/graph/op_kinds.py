"""Kinds of TensorFlow ops by op type: which read input, wait, draw random numbers, write variables.

    INPUT_OPS           read an element from a queue, iterator, reader, ...: QueueDequeueV2, IteratorGetNext
    ENQUEUE_OPS         write an element to one of them: QueueEnqueueV2, Stage
    WAIT_OPS            mostly wait, for one of those two or for another device: the above, _Recv, CollectiveReduce
    RANDOM_OPS          draw random numbers: RandomUniform, TruncatedNormal, UniformCandidateSampler
    VARIABLE_WRITE_OPS  write a variable, other than by a gradient: Assign, ScatterNdUpdate, CountUpTo

The sets name the ops that TensorFlow 1.15 (with the op libraries of tf.contrib) and 2.21 register. An op is in a set
whether this TensorFlow has it or not, because graphs of both versions are read.
"""
from typing import Any, FrozenSet


def _ops(names: str) -> FrozenSet[str]:
    return frozenset(names.split())


# Their value is what `session.run` is fed.
PLACEHOLDER_OPS = _ops("Placeholder PlaceholderV2 PlaceholderWithDefault")

# They call Python, so that they may read anything.
PYTHON_FUNCTION_OPS = _ops("PyFunc PyFuncStateless EagerPyFunc")

# They make a variable, or return its handle.
VARIABLE_OPS = _ops("VarHandleOp Variable VariableV2")

# They write a whole variable, and are linear in what they write: writing the mean of N values is the mean of N writes.
ASSIGN_OPS = _ops("Assign AssignAdd AssignAddVariableOp AssignSub AssignSubVariableOp AssignVariableOp")
# They write a part of a variable.
SLICE_ASSIGN_OPS = _ops("AssignVariableXlaConcatND ResourceStridedSliceAssign StridedSliceAssign")
SCATTER_OPS = _ops(
    "ResourceScatterAdd ResourceScatterDiv ResourceScatterMax ResourceScatterMin ResourceScatterMul"
    " ResourceScatterNdAdd ResourceScatterNdMax ResourceScatterNdMin ResourceScatterNdSub ResourceScatterNdUpdate"
    " ResourceScatterSub ResourceScatterUpdate"
    " ScatterAdd ScatterAddNdim ScatterDiv ScatterMax ScatterMin ScatterMul ScatterNdAdd ScatterNdMax ScatterNdMin"
    " ScatterNdSub ScatterNdUpdate ScatterSub ScatterUpdate"
)
# They write the next number into a variable, and return the one before.
COUNT_OPS = _ops("CountUpTo ResourceCountUpTo")
VARIABLE_WRITE_OPS = ASSIGN_OPS | SLICE_ASSIGN_OPS | SCATTER_OPS | COUNT_OPS

# Input ops, by what they read from. Each waits until there is an element.
QUEUE_INPUT_OPS = _ops(
    "QueueDequeue QueueDequeueMany QueueDequeueManyV2 QueueDequeueUpTo QueueDequeueUpToV2 QueueDequeueV2"
)
# DatasetToSingleElement starts an iterator of its own in each run.
ITERATOR_INPUT_OPS = _ops(
    "DatasetToSingleElement IteratorGetNext IteratorGetNextAsOptional IteratorGetNextSync"
    " MultiDeviceIteratorGetNextFromShard"
)
READER_INPUT_OPS = _ops("ReaderRead ReaderReadUpTo ReaderReadUpToV2 ReaderReadV2")
# A peek leaves the element where it is, but waits for it like the others.
STAGING_INPUT_OPS = _ops(
    "MapPeek MapUnstage MapUnstageNoKey OrderedMapPeek OrderedMapUnstage OrderedMapUnstageNoKey StagePeek Unstage"
)
BARRIER_INPUT_OPS = _ops("BarrierTakeMany")
# They read files in threads of their own.
FILE_INPUT_OPS = _ops("RecordInput Skipgram")
TPU_INPUT_OPS = _ops("InfeedDequeue InfeedDequeueTuple")

INPUT_OPS = (
    QUEUE_INPUT_OPS | ITERATOR_INPUT_OPS | READER_INPUT_OPS | STAGING_INPUT_OPS | BARRIER_INPUT_OPS | FILE_INPUT_OPS
    | TPU_INPUT_OPS
)

# They write an element to what an input op reads from, or to a TPU, and wait while that is full.
ENQUEUE_OPS = _ops(
    "BarrierInsertMany MapStage OrderedMapStage QueueEnqueue QueueEnqueueMany QueueEnqueueManyV2 QueueEnqueueV2 Stage"
    " DynamicEnqueueTPUEmbeddingArbitraryTensorBatch DynamicEnqueueTPUEmbeddingRaggedTensorBatch"
    " EnqueueTPUEmbeddingArbitraryTensorBatch EnqueueTPUEmbeddingBatch EnqueueTPUEmbeddingIntegerBatch"
    " EnqueueTPUEmbeddingRaggedTensorBatch EnqueueTPUEmbeddingSparseBatch EnqueueTPUEmbeddingSparseTensorBatch"
    " InfeedEnqueue InfeedEnqueuePrelinearizedBuffer InfeedEnqueueTuple OutfeedEnqueue OutfeedEnqueueTuple"
)

# Conditional accumulators: applying a gradient adds it, taking one waits until enough were applied.
ACCUMULATOR_APPLY_OPS = _ops(
    "AccumulatorApplyGradient ResourceAccumulatorApplyGradient SparseAccumulatorApplyGradient"
)
ACCUMULATOR_TAKE_OPS = _ops("AccumulatorTakeGradient ResourceAccumulatorTakeGradient SparseAccumulatorTakeGradient")

# They wait for a tensor of another device, or for another device to take one.
SEND_RECV_OPS = _ops(
    "Recv Send XlaRecv XlaRecvFromHost XlaSend XlaSendToHost _HostRecv _HostSend _Recv _Send _XlaRecvAtHost"
    " _XlaRecvAtHostV2 _XlaSendFromHost _XlaSendFromHostV2"
    " OutfeedDequeue OutfeedDequeueTuple OutfeedDequeueTupleV2 OutfeedDequeueV2 RecvTPUEmbeddingActivations"
    " SendTPUEmbeddingGradients XlaRecvTPUEmbeddingActivations XlaRecvTPUEmbeddingActivationsV2"
    " XlaRecvTPUEmbeddingDeduplicationData XlaRecvTPUEmbeddingDeduplicationDataV2 XlaSendTPUEmbeddingGradients"
    " XlaSendTPUEmbeddingGradientsV2"
)

# They wait for all devices of their group.
COLLECTIVE_OPS = _ops(
    "CollectiveAllToAllV2 CollectiveAllToAllV3 CollectiveAssignGroupV2 CollectiveBcastRecv CollectiveBcastRecvV2"
    " CollectiveBcastSend CollectiveBcastSendV2 CollectiveGather CollectiveGatherV2 CollectiveInitializeCommunicator"
    " CollectivePermute CollectiveReduce CollectiveReduceScatterV2 CollectiveReduceV2 CollectiveReduceV3"
    " NcclAllReduce NcclBroadcast NcclReduce _NcclBroadcastRecv _NcclBroadcastSend _NcclReduceRecv _NcclReduceSend"
)

# They give the values of their first input, in another shape, dtype or memory at most.
SAME_VALUES_OPS = _ops(
    "Cast CheckNumerics EnsureShape ExpandDims Identity PreventGradient Reshape Snapshot Squeeze"
)

# They give the sum of their inputs.
ADD_OPS = _ops("AccumulateNV2 Add AddN AddV2")
# They divide their first input by the second.
DIVIDE_OPS = _ops("Div DivNoNan RealDiv")

# They give a summary, for the event files of TensorBoard.
LARGE_SUMMARY_OPS = _ops("AudioSummary AudioSummaryV2 HistogramSummary ImageSummary")
SUMMARY_OPS = LARGE_SUMMARY_OPS | _ops("ScalarSummary TensorSummary TensorSummaryV2")

# They wait until no other op holds the lock, as in tf.CriticalSection.
LOCK_OPS = _ops("MutexLock")

WAIT_OPS = INPUT_OPS | ENQUEUE_OPS | ACCUMULATOR_TAKE_OPS | SEND_RECV_OPS | COLLECTIVE_OPS | LOCK_OPS

# Random ops. Those that compute random numbers from a seed that they are given (StatelessRandomUniform, ...) are not
# among them: they are functions of their inputs.

# tf.random.Generator: the state is in a variable, so that a checkpoint fixes what comes next. From the same state all
# TensorFlow versions draw the same numbers. Newer ones only read the state here, and draw by a stateless op.
PORTABLE_GENERATOR_OPS = _ops(
    "RngReadAndSkip StatefulStandardNormal StatefulStandardNormalV2 StatefulTruncatedNormal StatefulUniform"
    " StatefulUniformFullInt StatefulUniformInt"
)
# From the same state 1.15 and 2.21 draw different binomial numbers.
GENERATOR_OPS = PORTABLE_GENERATOR_OPS | _ops("StatefulRandomBinomial")

RANDOM_OPS = GENERATOR_OPS | _ops(
    "Multinomial ParameterizedTruncatedNormal RandomCrop RandomGamma RandomPoisson RandomPoissonV2 RandomShuffle"
    " RandomStandardNormal RandomUniform RandomUniformInt RiscRandomUniform SampleDistortedBoundingBox"
    " SampleDistortedBoundingBoxV2 TruncatedNormal"
    # Their elements come in random order.
    " RandomShuffleQueue RandomShuffleQueueV2"
    # The first state of a tf.random.Generator that is given no seed.
    " NonDeterministicInts"
    # Negative examples, for tf.nn.nce_loss and tf.nn.sampled_softmax_loss.
    " FixedUnigramCandidateSampler LearnedUnigramCandidateSampler LogUniformCandidateSampler"
    " ThreadUnsafeUnigramCandidateSampler UniformCandidateSampler NegTrain Skipgram SkipGramGenerateCandidates"
    # Regions to pool, examples to grow trees by.
    " FractionalAvgPool FractionalMaxPool ProcessInputV4"
)

# They draw random numbers where they are built with dropout.
RANDOM_BY_DROPOUT_OPS = _ops("CudnnRNN CudnnRNNV2 CudnnRNNV3")


def draws_random_numbers(operation: Any) -> bool:
    """Returns whether each run of an operation draws random numbers."""
    if operation.type in RANDOM_BY_DROPOUT_OPS:
        return bool(operation.get_attr("is_training")) and operation.get_attr("dropout") > 0
    return operation.type in RANDOM_OPS


def applies_gradient(operation: Any) -> bool:
    """Returns whether an operation updates a variable by its gradient, such as `ResourceApplyAdam`."""
    return operation.type.startswith(("Apply", "SparseApply", "ResourceApply", "ResourceSparseApply"))


def writes_variable(operation: Any) -> bool:
    """Returns whether an operation writes a variable, by its gradient or otherwise."""
    return operation.type in VARIABLE_WRITE_OPS or applies_gradient(operation)


def has_op_seed(operation: Any) -> bool:
    """Returns whether an op that draws random numbers was built with a seed of its own or of its graph.

    One that has no seed attribute, such as `NonDeterministicInts`, has no seed.
    """
    seeds = {attribute.name for attribute in operation.op_def.attr} & {"seed", "seed2"}
    return any(operation.get_attr(name) != 0 for name in seeds)
