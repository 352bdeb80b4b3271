"""Whose update ops run: first, all, or the mean."""
import numpy as np
import pytest

from legacy_towers.compat import tf
from legacy_towers.errors import ArgumentError, TowerError
from legacy_towers.update import combine_update_ops


def moving_mean(kind):
    return tf.get_variable(
        "moving_mean", [3], initializer=tf.zeros_initializer(), trainable=False, use_resource=kind == "resource"
    )


def run(update_ops, variable, times=1):
    with tf.Session(config=tf.ConfigProto(device_count={"CPU": 4})) as session:
        session.run(tf.global_variables_initializer())
        for _ in range(times):
            session.run(update_ops)
        return session.run(variable)


@pytest.mark.parametrize("kind", ["resource", "ref"])
@pytest.mark.parametrize(
    "policy, expected",
    [("first", [-1, -1, -1]), ("all", [-6, -6, -6]), ("mean", [-2, -2, -2])],
)
def test_policies(kind, policy, expected):
    variable = moving_mean(kind)
    deltas = [tf.placeholder_with_default(np.full([3], value, np.float32), [3]) for value in (1, 2, 3)]
    updates = [[tf.assign_sub(variable, delta)] for delta in deltas]
    np.testing.assert_allclose(run(combine_update_ops(updates, policy), variable), expected)


@pytest.mark.needs_layers
@pytest.mark.parametrize("kind", ["resource", "ref"])
def test_mean_keeps_the_whole_batchs_mean_and_the_mean_of_the_variances_within_towers(kind):
    rows = np.random.RandomState(3).normal(size=[4, 8, 3]).astype(np.float32)
    updates = []
    with tf.variable_scope(tf.get_variable_scope(), use_resource=kind == "resource"):
        for index in range(4):
            with tf.variable_scope(tf.get_variable_scope(), reuse=index > 0), tf.device("/cpu:{}".format(index)):
                before = len(tf.get_collection(tf.GraphKeys.UPDATE_OPS))
                batch = tf.placeholder_with_default(rows[index], rows[index].shape)
                tf.layers.batch_normalization(batch, training=True, momentum=0.9, fused=False, name="bn")
                updates.append(tf.get_collection(tf.GraphKeys.UPDATE_OPS)[before:])
    (mean, variance) = [v for v in tf.global_variables() if "moving" in v.op.name]
    found = run(combine_update_ops(updates, "mean"), [mean, variance], times=2)
    batch_mean = rows.reshape([-1, 3]).mean(axis=0)
    within_towers = rows.var(axis=1).mean(axis=0)
    np.testing.assert_allclose(found[0], batch_mean * (1 - 0.9**2), rtol=1e-5, atol=1e-7)
    np.testing.assert_allclose(found[1], within_towers * (1 - 0.9**2) + 0.9**2, rtol=1e-5)


def test_a_plain_assignment_is_averaged_too():
    variable = moving_mean("resource")
    updates = [[tf.assign(variable, [value] * 3)] for value in (1.0, 5.0)]
    np.testing.assert_allclose(run(combine_update_ops(updates, "mean"), variable), [3, 3, 3])


def test_what_is_no_assignment_is_refused():
    with pytest.raises(TowerError, match=r"'odd' \(NoOp\) is no assignment"):
        combine_update_ops([[tf.no_op(name="odd")], [tf.no_op()]], "mean")


def test_different_counts_are_refused():
    with pytest.raises(TowerError, match="the towers have 1, 0 update ops"):
        combine_update_ops([[tf.no_op()], []], "mean")


def test_different_variables_are_refused():
    one, two = tf.Variable(0.0, name="one"), tf.Variable(0.0, name="two")
    with pytest.raises(TowerError, match="do not write the same variable"):
        combine_update_ops([[tf.assign_add(one, 1.0)], [tf.assign_add(two, 1.0)]], "mean")


def test_unknown_policy():
    with pytest.raises(ArgumentError, match="update_ops is 'average': allowed are 'first', 'all', 'mean'"):
        combine_update_ops([[], []], "average")
