"""combine_update_ops and chosen_policy: the first tower's update ops, all, their mean, or each tower's own."""
import numpy as np
import pytest

from legacy_towers.compat import tf
from legacy_towers.errors import ArgumentError, TowerError
from legacy_towers.update import combine_update_ops
from legacy_towers.update.update_ops import chosen_policy
from legacy_towers.variables import ParameterServer, Strategy
from legacy_towers.variables.tower_variables import TowerVariables


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


def test_an_assignment_is_averaged():
    variable = moving_mean("resource")
    updates = [[tf.assign(variable, [value] * 3)] for value in (1.0, 5.0)]
    np.testing.assert_allclose(run(combine_update_ops(updates, "mean"), variable), [3, 3, 3])


def test_mean_refuses_ops_that_are_not_assignments():
    with pytest.raises(TowerError, match=r"'odd' \(NoOp\) is not an assignment"):
        combine_update_ops([[tf.no_op(name="odd")], [tf.no_op()]], "mean")


def test_mean_refuses_different_numbers_of_update_ops():
    with pytest.raises(TowerError, match="the towers have 1, 0 update ops"):
        combine_update_ops([[tf.no_op()], []], "mean")


def test_mean_refuses_different_variables():
    one, two = tf.Variable(0.0, name="one"), tf.Variable(0.0, name="two")
    with pytest.raises(TowerError, match="do not write the same variable"):
        combine_update_ops([[tf.assign_add(one, 1.0)], [tf.assign_add(two, 1.0)]], "mean")


def test_an_unknown_policy_is_refused():
    with pytest.raises(ArgumentError, match="update_ops is 'average': allowed are 'first', 'all', 'mean', 'own'"):
        combine_update_ops([[], []], "average")


def copied_statistic(kind, towers=3):
    """Returns each tower k's own moving mean on the k-th device, and the TowerVariables that register them."""
    made = []
    for index in range(towers):
        name = "moving_mean" + ("/replica_{}".format(index) if index else "")
        with tf.device("/cpu:{}".format(index)):
            made.append(
                tf.get_variable(
                    name, [3], initializer=tf.zeros_initializer(), trainable=False, use_resource=kind == "resource"
                )
            )
    variables = TowerVariables(towers)
    variables.register(made[0], dict(enumerate(made)))
    return made, variables


def colocated_update(variable, delta):
    # As tf.layers creates it.
    with tf.device(None), tf.colocate_with(variable):
        return tf.assign_sub(variable, (variable - delta) * 0.5)


@pytest.mark.parametrize("kind", ["resource", "ref"])
@pytest.mark.parametrize(
    "policy, training, tower_weights, after, expected",
    [
        ("first", (0, 1, 2), None, False, [[1, 1, 1]] * 3),
        ("first", (0, 1, 2), None, True, [[1, 1, 1]] * 3),
        ("first", (1, 2), None, False, [[2, 2, 2]] * 3),
        ("first", (2,), None, False, [[4, 4, 4]] * 3),
        ("mean", (0, 1, 2), None, True, [[7 / 3.0] * 3] * 3),
        ("mean", (0, 1), None, False, [[1.5] * 3] * 3),
        ("mean", (1,), None, False, [[2, 2, 2]] * 3),
        ("mean", (0, 1, 2), (0.25, 0.75, 0.0), False, [[1.75] * 3] * 3),
        ("own", (0, 1, 2), None, False, [[1] * 3, [2] * 3, [4] * 3]),
        ("own", (0, 2), None, True, [[1] * 3, [0] * 3, [4] * 3]),
        ("own", (0, 1, 2), (0.5, 0.0, 0.5), False, [[1] * 3, [0] * 3, [4] * 3]),
    ],
    ids=str,
)
def test_copies_of_a_statistic(kind, policy, training, tower_weights, after, expected):
    copies, variables = copied_statistic(kind)
    updates = [[colocated_update(copies[index], [2.0 * 2.0**index] * 3)] for index in training]
    tower_weights = (
        None if tower_weights is None else [tf.constant(tower_weight, tf.float64) for tower_weight in tower_weights]
    )
    read = [tf.identity(copies[0])] if after else []
    combined = combine_update_ops(updates, policy, tower_weights, read, variables)
    np.testing.assert_allclose(run(combined, copies), expected, rtol=1e-6)


def test_a_shared_variable_is_written_once():
    copies, variables = copied_statistic("resource")
    count = tf.get_variable("count", initializer=0.0, use_resource=True)
    updates = [[tf.assign_add(count, 1.0), tf.assign_add(copy, [1.0] * 3)] for copy in copies]
    for policy in ("first", "mean"):
        found = run(combine_update_ops(updates, policy, variables=variables), [count] + copies)
        assert found[0] == 1
        np.testing.assert_array_equal(found[1:], np.ones([3, 3]))


def test_all_is_refused_for_copies():
    copies, variables = copied_statistic("resource")
    updates = [[tf.assign_add(copy, [1.0] * 3)] for copy in copies]
    with pytest.raises(ArgumentError, match='update_ops="all" where each tower has a copy of \'moving_mean\''):
        combine_update_ops(updates, "all", variables=variables)


def test_copies_refuse_ops_that_are_not_assignments():
    _, variables = copied_statistic("resource")
    with pytest.raises(TowerError, match=r"\(NoOp\) is not an assignment, so it can't be repeated for every"):
        combine_update_ops([[tf.no_op(name="odd")]], "first", variables=variables)


class Copied(Strategy):
    copies = True

    def __repr__(self):
        return "Copied()"


class OwnUpdates(Copied):
    updates = "own"

    def __repr__(self):
        return "OwnUpdates()"


@pytest.mark.parametrize(
    "policy, strategy, chosen",
    [(None, ParameterServer(), "first"), ("all", ParameterServer(), "all"), (None, Copied(), "first")]
    + [("mean", Copied(), "mean"), (None, OwnUpdates(), "own"), ("own", OwnUpdates(), "own")],
    ids=str,
)
def test_chosen_policy(policy, strategy, chosen):
    assert chosen_policy(policy, strategy) == chosen


@pytest.mark.parametrize(
    "policy, strategy, message",
    [
        ("all", Copied(), r'update_ops="all" with Copied\(\): each tower would write its own copy'),
        ("first", OwnUpdates(), r"update_ops='first' with OwnUpdates\(\): each tower updates its variables on its own"),
        ("own", Copied(), r'update_ops="own" with Copied\(\): the towers\' variables are updated together'),
        ("own", ParameterServer(), r'update_ops="own" with ParameterServer'),
        ("some", ParameterServer(), "update_ops is 'some'"),
    ],
    ids=str,
)
def test_chosen_policy_refuses_policies_that_do_not_fit(policy, strategy, message):
    with pytest.raises(ArgumentError, match=message):
        chosen_policy(policy, strategy)
