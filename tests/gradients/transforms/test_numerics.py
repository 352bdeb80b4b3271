"""check_numerics: NaN and infinity end the run with the name of the variable, and nothing is applied."""
import numpy as np
import pytest
from fed_towers import RATE, FedTowers, assert_same, descended, mean, random_steps, session

from legacy_towers import gradients as lt_gradients
from legacy_towers.compat import tf
from legacy_towers.gradients import ReductionContext, chain, check_numerics, reduce_gradients
from legacy_towers.gradients.reduce import prepare
from legacy_towers.update import apply_reduced

BEFORE = chain(check_numerics(), lt_gradients.mean())
AFTER = chain(lt_gradients.mean(), check_numerics())


@pytest.mark.parametrize("reduction", [BEFORE, AFTER], ids=["before the mean", "after it"])
def test_finite_gradients_pass(reduction):
    steps = random_steps(1, 3, 2)
    towers = FedTowers(2)
    reduced = towers.reduce(reduction)
    assert isinstance(reduced.rows[1].gradients[0], tf.IndexedSlices)
    assert_same(towers.trajectory(reduced, steps), descended(map(mean, steps)))


@pytest.mark.parametrize("kind", ["resource", "ref"])
@pytest.mark.parametrize(
    "reduction, bad, place, message",
    [
        (BEFORE, [np.nan], "w", "the gradient of tower 1 for w has NaN at global step 2"),
        (BEFORE, [np.inf], "w", "the gradient of tower 1 for w has Inf at global step 2"),
        (BEFORE, [-np.inf], "table", "the gradient of tower 1 for table has Inf at global step 2"),
        (BEFORE, [np.nan, np.inf], "w", "the gradient of tower 1 for w has NaN and Inf at global step 2"),
        (AFTER, [np.nan], "table", "the reduced gradient for table has NaN at global step 2"),
        (AFTER, [np.inf], "w", "the reduced gradient for w has Inf at global step 2"),
    ],
)
def test_a_nan_or_infinity_is_reported_and_nothing_is_applied(reduction, bad, place, message, kind):
    steps = random_steps(2, 3, 2)
    values = steps[2][1]["w"] if place == "w" else steps[2][1]["table"][0]
    values.ravel()[: len(bad)] = bad
    towers = FedTowers(2, kind=kind)
    train_op = apply_reduced(tf.train.GradientDescentOptimizer(RATE), towers.reduce(reduction), towers.global_step)
    with session() as running:
        for step in steps[:2]:
            running.run(train_op, towers.feed(step))
        with pytest.raises(tf.errors.InvalidArgumentError) as error:
            running.run(train_op, towers.feed(steps[2]))
        assert message in str(error.value)
        found = running.run(towers.variables)
        assert running.run(towers.global_step) == 2
    assert_same([found], descended([mean(step) for step in steps[:2]])[-1:])


def test_the_error_without_a_global_step():
    w = tf.get_variable("fc/w", initializer=np.zeros(2), use_resource=True)
    reduced = reduce_gradients([[(tf.constant([1, np.nan], tf.float64), w)]], check_numerics(), ["/cpu:0"])
    with session() as running, pytest.raises(tf.errors.InvalidArgumentError, match="tower 0 for fc/w has NaN"):
        running.run(reduced.rows[0].gradients[0])


@pytest.mark.parametrize("reduction", [BEFORE, AFTER], ids=["before the mean", "after it"])
def test_an_independent_tower_is_named_after_the_mean_too(reduction):
    w = tf.get_variable("w", initializer=np.zeros(2), use_resource=True)
    prepared = prepare(reduction, ReductionContext(["/cpu:0"], [3], local_updates=True), [w])
    reduced = prepared.reduce([[(tf.constant([1, np.nan], tf.float64), w)]])
    with session() as running, pytest.raises(tf.errors.InvalidArgumentError, match="gradient of tower 3 for w has NaN"):
        running.run(reduced.rows[0].gradients[0])


@pytest.mark.parametrize("as_tensors", [True, False])
def test_a_tower_with_weight_0_may_have_nan(as_tensors):
    steps = random_steps(3, 2, 2)
    for step in steps:
        step[1]["w"][:] = np.nan
    towers = FedTowers(2)
    counts = [tf.placeholder(tf.int32, []) for _ in range(2)]
    reduced = towers.reduce(BEFORE, counts if as_tensors else [1, 0])
    feeds = [dict(zip(counts, [3, 0]))] * 2
    first_tower = [mean(step[:1]) for step in steps]
    assert_same(towers.trajectory(reduced, steps, feeds), descended(first_tower))
    if as_tensors:
        with pytest.raises(tf.errors.InvalidArgumentError, match="tower 1 for w has NaN at global step 0"):
            towers.trajectory(reduced, steps, [dict(zip(counts, [3, 1]))] * 2)


def skipping(gradients):
    return gradients._replace(apply_if=tf.logical_not(tf.placeholder(tf.bool, [], name="skips")))


def test_a_skipped_step_may_have_nan():
    steps = random_steps(4, 3, 2)
    steps[1][0]["w"][:] = np.nan
    towers = FedTowers(2)
    reduced = towers.reduce(chain(skipping, BEFORE, check_numerics()))
    skips = tf.get_default_graph().get_tensor_by_name("reduction/skips:0")
    found = towers.trajectory(reduced, steps, [{skips: number == 1} for number in range(3)])
    assert_same(found, descended([mean(steps[0]), None, mean(steps[2])]))


def test_a_repr_is_the_call():
    assert repr(check_numerics()) == "check_numerics()"
