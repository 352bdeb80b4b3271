"""The tables of op kinds, compared with the op registries of TensorFlow 1.15, 2.21 and the running version."""
import re

import numpy as np
import pytest
from graph import record_ops

from legacy_towers.compat import tf
from legacy_towers.compat.versions.op_registry import registered_ops
from legacy_towers.graph import op_kinds

KINDS = {name: value for name, value in vars(op_kinds).items() if isinstance(value, frozenset)}
CLASSIFIED = frozenset().union(*KINDS.values())
RECORDED = record_ops.read()

# An op whose name has one of these words, or that has a seed, reads input, writes it, waits or is random, unless
# NO_KIND has a reason.
WORDS = re.compile(
    "Queue|Stack|Iterator|GetNext|Reader|Stage|Unstage|Peek|Barrier|Infeed|Outfeed|Accumulator|Mutex|RecordInput"
    "|SingleElement|Placeholder|PyFunc|Recv|Send|TPUEmbedding.*Batch|Collective|Nccl|Random|Truncated|Multinomial"
    "|Sample|Shuffle|Assign|Scatter|CountUpTo|Rng|NonDeterministic|Stateful|Skip_?[Gg]ram|NegTrain|CudnnRNN"
)
NO_KIND = [
    ("makes a dataset, which an input op reads", r".*Dataset(V\d+)?|Snapshot(Nested)?DatasetReader"),
    ("makes a queue, reader, barrier, stack, lock or accumulator, or returns its handle",
     r"(FIFO|PaddingFIFO|Priority)Queue(V2)?|FakeQueue|Barrier|Stack(V2)?|MutexV2"
     r"|(BigQuery|FixedLengthRecord|Identity|LMDB|TFRecord|TextLine|WholeFile)Reader(V2)?"
     r"|((Resource|Sparse)?ConditionalAccumulator)"),
    ("makes or restores an iterator, or returns its handle",
     r"(Anonymous|Delete|Make|OneShot|Serialize|Deserialize)?(MultiDevice)?Iterator(V\d)?"
     r"|(MultiDevice)?Iterator(FromStringHandle(V2)?|ToStringHandle|Init)"
     r"|(Experimental)?IteratorGet(Device|ModelProto)"),
    ("reads or changes the state of a queue, reader, ..., and takes no element",
     r"(Queue|Barrier|Stack)Close(V2)?|Queue(IsClosed|Size)(V2)?|Barrier(Incomplete|Ready)Size|Stage(Clear|Size)"
     r"|Reader(NumRecordsProduced|NumWorkUnitsCompleted|Reset|RestoreState|SerializeState)(V2)?"
     r"|(Resource)?Accumulator(NumAccumulated|SetGlobalStep)|ConsumeMutexLock"),
    ("holds a value within one run", r"Stack(Pop|Push)(V2)?|TensorListStack|TensorMapStackKeys"),
    ("is a function of its inputs, its seeds among them",
     r"Stateless\w+|RandomIndexShuffle|RandomGammaGrad|XlaRngBitGenerator|SobolSample"),
    ("changes or names a random state, and draws nothing",
     r"RngSkip|(Anonymous|Delete)RandomSeedGenerator"),
    ("returns all candidates in order, whatever its seed", r"AllCandidateSampler"),
    ("ignores its seeds", r"ComputeAccidentalHits|CudnnRNN(CanonicalToParams|ParamsSize|ParamsToCanonical)(V2)?"),
    ("takes the dropout of the forward pass", r"CudnnRNNBackprop(V\d)?"),
    ("computes the same from the same input each time", r"SingleImageRandomDotStereograms"),
    ("is a function of its inputs, and returns a new tensor",
     r"ScatterNd(NonAliasingAdd)?|TensorScatter(Add|Max|Min|Sub|Update)|TensorListScatter\w*|RiscScatter"
     r"|Xla\w*Scatter|DTensor\w+Scatter"),
    ("holds a value within one run", r"TensorArrayScatter(V\d)?"),
    ("shares a word only",
     r"StatefulPartitionedCall|GenerateBigQueryReaderPartitions|XlaOptimizationBarrier|Xla\w+(Stack|Unstack)|Resampler(Grad)?"
     r"|PeriodicResample(OpGrad)?|_XlaCompileMlirPlaceholderProgramKey"
     r"|(CreateS|S)tatsAccumulator\w+|(CreateQ|Q)uantileAccumulator\w*"),
]


def reasons_of(name):
    return [reason for reason, pattern in NO_KIND if re.match("({})$".format(pattern), name)]


def is_candidate(name, words):
    return WORDS.search(name) is not None or "seeded" in words


def running():
    return {name: record_ops.facts_of(op) for name, op in registered_ops().items()}


def version():
    return ".".join(tf.__version__.split(".")[:2])


@pytest.mark.parametrize("kind", sorted(KINDS))
def test_every_op_of_a_kind_is_registered_by_1_15_or_2_21(kind):
    assert sorted(KINDS[kind] - set(RECORDED)) == []


@pytest.mark.parametrize("source", ["recorded", "running"])
def test_every_op_that_may_be_of_a_kind_is_in_a_table_or_has_a_reason(source):
    ops = RECORDED if source == "recorded" else running()
    candidates = {name for name, words in ops.items() if is_candidate(name, words)}
    assert len(candidates) > 200
    assert sorted(name for name in candidates - CLASSIFIED if not reasons_of(name)) == []


def test_no_op_of_a_kind_has_a_reason_against_it():
    assert {name: reasons_of(name) for name in sorted(CLASSIFIED) if reasons_of(name)} == {}


def test_every_reason_is_for_a_registered_op():
    unused = [reason for reason, pattern in NO_KIND if not any(reason in reasons_of(name) for name in RECORDED)]
    assert unused == []


def test_the_record_matches_the_running_tensorflow():
    if version() not in record_ops.VERSIONS:
        pytest.skip("recorded with TensorFlow 1.15 and 2.21, this is {}".format(tf.__version__))
    ops = running()
    expected = {name for name, words in RECORDED.items() if version() in words and is_candidate(name, words)}
    assert sorted(expected - set(ops)) == []
    # tf.contrib loads its op libraries when a test uses them.
    late = {name for name, words in RECORDED.items() if version() + "-contrib" in words}
    assert sorted(name for name in set(ops) - expected - late if is_candidate(name, ops[name])) == []


def test_stateful_random_ops_of_tensorflow_are_random():
    """Stateful ops with a seed attribute draw from it, except those with a reason."""
    drawing = {name for name, words in RECORDED.items() if {"stateful", "seeded"} <= set(words)}
    missing = drawing - op_kinds.RANDOM_OPS - op_kinds.RANDOM_BY_DROPOUT_OPS - op_kinds.INPUT_OPS
    assert sorted(name for name in missing if not reasons_of(name)) == []


def test_sets_of_input_ops_are_disjoint():
    names = ["QUEUE", "ITERATOR", "READER", "STAGING", "BARRIER", "FILE", "TPU"]
    sets = [KINDS[name + "_INPUT_OPS"] for name in names]
    assert sum(map(len, sets)) == len(op_kinds.INPUT_OPS)
    assert not op_kinds.INPUT_OPS & (op_kinds.ENQUEUE_OPS | op_kinds.PLACEHOLDER_OPS | op_kinds.SEND_RECV_OPS)


@pytest.mark.parametrize("dropout, is_training, expected", [(0.5, True, True), (0.5, False, False), (0.0, True, False)])
def test_recurrent_layers_of_cudnn_are_random_with_dropout(dropout, is_training, expected):
    zeros = tf.zeros([1, 2, 2])
    output = tf.raw_ops.CudnnRNN(
        input=zeros, input_h=zeros, input_c=zeros, params=tf.zeros([9]), dropout=dropout, is_training=is_training
    )[0]
    assert output.op.type == "CudnnRNN"
    assert op_kinds.draws_random_numbers(output.op) is expected


@pytest.mark.parametrize("seed, graph_seed, expected", [(None, None, False), (5, None, True), (None, 5, True)])
def test_has_op_seed_with_the_seed_of_an_op_or_its_graph(seed, graph_seed, expected):
    if graph_seed is not None:
        tf.set_random_seed(graph_seed)
    drawn = tf.random_uniform([2], seed=seed)
    while drawn.op.type != "RandomUniform":
        drawn = drawn.op.inputs[0]
    assert op_kinds.draws_random_numbers(drawn.op)
    assert op_kinds.has_op_seed(drawn.op) is expected


def test_an_op_without_a_seed_attribute_has_no_seed():
    drawn = tf.raw_ops.NonDeterministicInts(shape=tf.constant([2], tf.int64), dtype=tf.int64)
    assert op_kinds.draws_random_numbers(drawn.op)
    assert not op_kinds.has_op_seed(drawn.op)


DRAWS = {
    "uniform": (lambda generator: generator.uniform([2]), [0.13229858875274658, 0.5348098278045654]),
    "normal": (lambda generator: generator.normal([2]), [-0.43640923500061035, -1.9633986949920654]),
    "truncated normal": (
        lambda generator: generator.truncated_normal([2]), [-0.43640923500061035, -1.9633986949920654]
    ),
    "integers": (lambda generator: generator.uniform([2], 0, 100, tf.int32), [25, 6]),
    "all integers": (
        lambda generator: generator.uniform_full_int([2], tf.int64), [7657373526131797801, 7872641813117997903]
    ),
}


@pytest.mark.parametrize("draw, expected", list(DRAWS.values()), ids=list(DRAWS))
def test_generators_draw_the_same_numbers_on_all_versions(draw, expected):
    """Seed 3; recorded with TensorFlow 1.15 and 2.21, which are equal."""
    graph = tf.get_default_graph()
    drawn = draw(tf.random.experimental.Generator.from_seed(3))
    kinds = {operation.type for operation in graph.get_operations()}
    assert kinds & op_kinds.PORTABLE_GENERATOR_OPS
    assert not kinds & (op_kinds.RANDOM_OPS - op_kinds.PORTABLE_GENERATOR_OPS)
    with tf.Session() as session:
        session.run(tf.global_variables_initializer())
        np.testing.assert_array_equal(session.run(drawn), np.array(expected, drawn.dtype.as_numpy_dtype))
