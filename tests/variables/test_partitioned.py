"""Partitioned variables: their parts and devices, initial values, and errors."""
import numpy as np
import pytest

import legacy_towers as lt
from legacy_towers.compat import tf
from legacy_towers.compat.versions.slices import slice_of
from legacy_towers.errors import ArgumentError, TowerError
from legacy_towers.towers import TowerOutput, replicate
from legacy_towers.variables import Balanced, ParameterServer, Partitioned, RoundRobin

DEVICES = ["/cpu:{}".format(index) for index in range(3)]
KINDS = pytest.mark.parametrize("kind", ["resource", "ref"])
SERVER = ParameterServer("/cpu:0")


def config():
    return lt.session_config(logical_cpus=3)


def build(make, strategy, towers=1, kind="resource"):
    """Returns the result of `make()` in tower 0; it is called as a model function in each tower."""
    made = []

    def model_fn(batch, mode):
        made.append(make())
        return TowerOutput()

    replicate(model_fn, [None] * towers, DEVICES[:towers], strategy, lt.PREDICT, kind == "resource")
    return made[0]


def initial_values(variables):
    with tf.Session(config=config()) as session:
        session.run(tf.global_variables_initializer())
        return session.run(variables)


# shape, dtype, max_part_bytes -> rows per part
CUTS = {
    "as large as allowed": ([10, 2], tf.float32, 80, None),
    "one byte too large": ([10, 2], tf.float32, 79, [5, 5]),
    "uneven": ([10, 2], tf.float32, 32, [4, 3, 3]),
    "by bytes, not by elements": ([10, 2], tf.float64, 80, [5, 5]),
    "small numbers": ([10, 2], tf.int8, 7, [3, 3, 2, 2]),
    "one row is too large": ([3, 100], tf.float32, 10, [1, 1, 1]),
    "few rows": ([1, 100], tf.float32, 10, None),
    "one axis": ([9], tf.float32, 12, [3, 3, 3]),
    "three axes": ([4, 2, 2], tf.float32, 40, [2, 2]),
    "a scalar": ([], tf.float32, 1, None),
    "no rows": ([0, 5], tf.float32, 1, None),
    "no columns": ([5, 0], tf.float32, 1, None),
}


@KINDS
@pytest.mark.parametrize("shape, dtype, most, rows", list(CUTS.values()), ids=list(CUTS))
def test_parts_of_a_variable(shape, dtype, most, rows, kind):
    build(lambda: tf.get_variable("v", shape, dtype, tf.zeros_initializer()), Partitioned(SERVER, most), kind=kind)
    made = tf.global_variables()
    if rows is None:
        assert [each.op.name for each in made] == ["v"]
        assert slice_of(made[0]) is None
        return
    assert [each.op.name for each in made] == ["v/part_{}".format(number) for number in range(len(rows))]
    assert [each.shape.as_list() for each in made] == [[count] + shape[1:] for count in rows]
    first = np.cumsum([0] + rows[:-1]).tolist()
    assert [slice_of(each) for each in made] == [("v", shape, [row] + [0] * (len(shape) - 1)) for row in first]


FULL = np.random.RandomState(3).normal(size=[10, 3])
FIRST_VALUES = {
    "constant": (tf.constant_initializer(FULL), [10, 3]),
    "seeded": (tf.random_normal_initializer(seed=7), [10, 3]),
    "scaled by its shape": (tf.glorot_uniform_initializer(seed=7), [10, 3]),
    "orthogonal": (tf.orthogonal_initializer(seed=7), [10, 3]),
    "a class": (tf.ones_initializer, [10, 3]),
    "an array": (FULL, None),
    "a function": (lambda shape, dtype, partition_info=None: tf.ones(shape, dtype) * FULL, [10, 3]),
}


@KINDS
@pytest.mark.parametrize("initializer, shape", list(FIRST_VALUES.values()), ids=list(FIRST_VALUES))
def test_initial_values_are_those_of_the_whole_variable(initializer, shape, kind):
    def make():
        with tf.variable_scope("deep"):
            return tf.get_variable("v", shape, tf.float64, initializer)

    strategies = [SERVER, Partitioned(RoundRobin(DEVICES), 80)]
    values = []
    for strategy in strategies:
        with tf.Graph().as_default():
            values.append(initial_values(tf.identity(build(make, strategy, towers=2, kind=kind))))
            assert len(tf.global_variables()) == (1 if strategy is SERVER else 4)
    np.testing.assert_array_equal(values[0], values[1])


def test_a_tensor_as_initial_value_and_the_default_initializer():
    table = build(
        lambda: [tf.get_variable("t", initializer=tf.constant(FULL)), tf.get_variable("d", [50, 4])],
        Partitioned(SERVER, 80),
    )
    from_tensor, default = initial_values([tf.identity(each) for each in table])
    np.testing.assert_array_equal(from_tensor, FULL)
    # glorot_uniform of the whole shape is within sqrt(6 / 54); of a part of 5 rows it would be within sqrt(6 / 9).
    assert 0.25 < np.abs(default).max() <= np.sqrt(6 / 54)


def test_later_towers_use_the_parts_and_create_none():
    def make():
        return tf.get_variable("v", [10, 3], tf.float64, tf.constant_initializer(FULL))

    build(make, Partitioned(SERVER, 80))
    alone = len(tf.get_default_graph().get_operations())
    with tf.Graph().as_default():
        build(make, Partitioned(SERVER, 80), towers=3)
        assert len(tf.get_default_graph().get_operations()) == alone
        assert len(tf.global_variables()) == 4


def test_a_tower_may_reuse_a_variable_by_name():
    def make():
        first = tf.get_variable("v", [10, 3])
        with tf.variable_scope(tf.get_variable_scope(), reuse=True):
            return first, tf.get_variable("v")

    first, again = build(make, Partitioned(SERVER, 40), towers=2)
    assert [each.op.name for each in first] == [each.op.name for each in again] != []


@KINDS
def test_parts_are_placed_one_by_one(kind):
    def make():
        tf.get_variable("table", [10, 2])
        tf.get_variable("weights", [5])
        tf.get_variable("bias", [1])

    build(make, Partitioned(Balanced(DEVICES), 32), kind=kind)
    # bytes: 32 on 0, 24 on 1, 24 on 2, then 20 on 1 and 4 on 2
    assert [(each.op.name, each.device[-1]) for each in tf.global_variables()] == [
        ("table/part_0", "0"), ("table/part_1", "1"), ("table/part_2", "2"), ("weights", "1"), ("bias", "2")
    ]
    with tf.Graph().as_default():
        build(make, Partitioned(RoundRobin(DEVICES), 32), kind=kind)
        assert [each.device[-1] for each in tf.global_variables()] == ["0", "1", "2", "0", "1"]


def test_a_partitioner_of_the_model_has_precedence():
    two = tf.fixed_size_partitioner(2)

    def make():
        with tf.variable_scope("own", partitioner=two):
            tf.get_variable("v", [10, 3])
        tf.get_variable("w", [10, 3], partitioner=two)
        tf.get_variable("x", [10, 3])

    build(make, Partitioned(SERVER, 40), towers=2)
    names = ["own/v/part_0", "own/v/part_1", "w/part_0", "w/part_1"] + ["x/part_{}".format(k) for k in range(4)]
    assert [each.op.name for each in tf.global_variables()] == names


def test_a_regularizer_gets_each_part():
    def make():
        return tf.get_variable("v", [10, 3], initializer=tf.ones_initializer(), regularizer=tf.nn.l2_loss)

    build(make, Partitioned(SERVER, 40), towers=2)
    losses = tf.get_collection(tf.GraphKeys.REGULARIZATION_LOSSES)
    assert len(losses) == 4
    assert sum(initial_values(losses)) == 15.0


@pytest.mark.parametrize("lookup", ["plain", "sparse", "sampled softmax"])
@KINDS
def test_a_lookup_with_the_mod_strategy_is_rejected(kind, lookup):
    def make(**strategy):
        table = tf.get_variable("table", [10, 2])
        if lookup == "plain":
            return tf.nn.embedding_lookup(table, tf.constant([1, 2], tf.int64), **strategy)
        if lookup == "sparse":
            ids = tf.SparseTensor([[0, 0]], tf.constant([3], tf.int64), [1, 1])
            return tf.nn.embedding_lookup_sparse(table, ids, None, combiner="sum", **strategy)
        labels = tf.constant([[3]], tf.int64)
        return tf.nn.sampled_softmax_loss(table, tf.zeros([10]), labels, tf.ones([1, 2]), 2, 10, **strategy)

    with pytest.raises(TowerError, match="looks up rows of 'table', which is partitioned into 3 parts, with .*\"mod\""):
        build(make, Partitioned(SERVER, 32), kind=kind)
    with tf.Graph().as_default():
        build(lambda: make(partition_strategy="div"), Partitioned(SERVER, 32), towers=2, kind=kind)
    with tf.Graph().as_default():
        build(make, Partitioned(SERVER, 80), kind=kind)


REFUSED = [
    (lambda: Partitioned("/cpu:0"), "Partitioned\\('/cpu:0'\\): pass the strategy that places the parts"),
    (lambda: Partitioned(Partitioned(SERVER)), "pass a strategy that only places variables"),
    (lambda: Partitioned(SERVER, 0), "max_part_bytes is 0: it must be an integer of at least 1"),
    (lambda: Partitioned(SERVER, 1.5), "max_part_bytes is 1.5"),
    (lambda: Partitioned(SERVER, True), "max_part_bytes is True"),
]


@pytest.mark.parametrize("make, message", REFUSED, ids=[message for _, message in REFUSED])
def test_unsupported_uses_are_rejected(make, message):
    with pytest.raises(ArgumentError, match=message):
        make()


def test_a_repr_is_the_call():
    made = Partitioned(Balanced(["/cpu:0"]), max_part_bytes=100)
    assert repr(made) == "Partitioned(Balanced(['/cpu:0']), max_part_bytes=100)"
    assert eval(repr(made)).max_part_bytes == 100
