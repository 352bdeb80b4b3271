"""accumulate: several steps' gradients in one update, against numpy."""
import numpy as np
import pytest
from fed_towers import SHAPES, FedTowers, assert_same, dense, descended, mean, random_steps, session

from legacy_towers import gradients as lt_gradients
from legacy_towers.compat import tf
from legacy_towers.errors import ArgumentError
from legacy_towers.gradients import ReductionContext, accumulate, chain, dynamic_loss_scale, reduce_gradients
from legacy_towers.gradients.reduce import prepare
from legacy_towers.update import apply_reduced

EITHER_ORDER = [
    pytest.param(chain(lt_gradients.mean(), accumulate(3)), id="after the mean"),
    pytest.param(chain(accumulate(3), lt_gradients.mean()), id="before the mean"),
]


def mean_of(steps):
    means = [mean(step) for step in steps]
    return {name: np.mean([each[name] for each in means], axis=0) for name in means[0]}


@pytest.mark.parametrize("reduction", EITHER_ORDER)
@pytest.mark.parametrize("dtype", [np.float64, np.float32])
@pytest.mark.parametrize("kind", ["resource", "ref"])
def test_every_third_step_applies_the_mean_of_three(reduction, dtype, kind):
    steps = random_steps(1, 7, 2, dtype)
    towers = FedTowers(2, dtype, kind)
    found = towers.trajectory(towers.reduce(reduction), steps)
    expected = [None, None, mean_of(steps[:3]), None, None, mean_of(steps[3:6]), None]
    assert_same(found, descended(expected, dtype), 1e-12 if dtype is np.float64 else 1e-6)


@pytest.mark.parametrize("reduction", EITHER_ORDER)
def test_weights_given_as_numbers_apply_to_each_step(reduction):
    steps = random_steps(2, 3, 2)
    towers = FedTowers(2)
    found = towers.trajectory(towers.reduce(reduction, weights=[3, 1]), steps)
    weighted = [{name: np.average([dense(tower)[name] for tower in step], axis=0, weights=[3, 1]) for name in SHAPES}
                for step in steps]
    expected = {name: np.mean([each[name] for each in weighted], axis=0) for name in SHAPES}
    assert_same(found, descended([None, None, expected]))


def test_after_the_mean_each_step_has_its_own_weights_and_all_steps_count_equally():
    steps = random_steps(3, 3, 2)
    counts = [(4, 0), (3, 1), (1, 7)]
    towers = FedTowers(2)
    weights = [tf.placeholder(tf.int32, []) for _ in range(2)]
    reduced = towers.reduce(chain(lt_gradients.mean(), accumulate(3)), weights)
    found = towers.trajectory(reduced, steps, [dict(zip(weights, of_step)) for of_step in counts])
    weighted = [
        {name: np.average([dense(tower)[name] for tower in step], axis=0, weights=of_step) for name in SHAPES}
        for step, of_step in zip(steps, counts)
    ]
    expected = {name: np.mean([each[name] for each in weighted], axis=0) for name in SHAPES}
    assert_same(found, descended([None, None, expected]))


def test_before_the_mean_weights_that_change_are_rejected():
    towers = FedTowers(2)
    weights = [tf.placeholder(tf.int32, []) for _ in range(2)]
    with pytest.raises(ArgumentError, match=r"Put it after, as in chain\(mean\(\), accumulate\(3\)\)"):
        towers.reduce(chain(accumulate(3), lt_gradients.mean()), weights)


def skipping(gradients):
    """A reduction whose steps are skipped by the placeholder `skips`, as a loss scale does."""
    return gradients._replace(apply_if=tf.logical_not(tf.placeholder(tf.bool, [], name="skips")))


@pytest.mark.parametrize(
    "reduction",
    [
        pytest.param(chain(lt_gradients.mean(), skipping, accumulate(3)), id="after the mean"),
        pytest.param(chain(skipping, accumulate(3), lt_gradients.mean()), id="before the mean"),
    ],
)
def test_a_skipped_step_is_not_added_or_counted(reduction):
    steps = random_steps(4, 8, 2)
    skipped = [0, 2, 3]
    for number in skipped:
        steps[number][0]["w"][0, 0] = np.nan
        steps[number][1]["table"][0][0, 0] = np.inf
    towers = FedTowers(2)
    reduced = towers.reduce(reduction)
    (skips,) = [op.outputs[0] for op in tf.get_default_graph().get_operations() if op.name.endswith("skips")]
    found = towers.trajectory(reduced, steps, [{skips: number in skipped} for number in range(8)])
    # The applied ones are 1, 4, 5 and then 6, 7.
    expected = [None] * 5 + [mean_of([steps[1], steps[4], steps[5]])] + [None] * 2
    assert_same(found, descended(expected))


def test_two_in_a_chain_accumulate_the_product_of_their_steps():
    steps = random_steps(5, 9, 2)
    towers = FedTowers(2)
    found = towers.trajectory(towers.reduce(chain(accumulate(2), lt_gradients.mean(), accumulate(2))), steps)
    expected = [None] * 3 + [mean_of(steps[:4])] + [None] * 3 + [mean_of(steps[4:8])] + [None]
    assert_same(found, descended(expected))


def test_one_step_returns_the_gradients_unchanged():
    towers = FedTowers(2)
    reduced = towers.reduce(chain(accumulate(1), lt_gradients.mean(), accumulate(1)))
    assert reduced.apply_if is None and reduced.unconditional_ops == () and tf.local_variables() == []


@pytest.mark.parametrize("reduction", EITHER_ORDER)
def test_sparse_gradients_stay_sparse_and_the_state_is_local(reduction):
    towers = FedTowers(2)
    before = list(tf.global_variables())
    reduced = towers.reduce(reduction)
    kinds = {row.name: type(row.gradients[0]) for row in reduced.rows}
    assert kinds["table"] is tf.IndexedSlices and kinds["idle"] is type(None)
    assert tf.global_variables() == before
    assert tf.local_variables() and all(v.op.name.startswith("reduction/") for v in tf.local_variables())
    assert len(tf.trainable_variables()) == 3
    # No tensor has the size of the table: only the rows of the gradients are kept.
    assert not any(v.shape.as_list() == [5, 2] for v in tf.local_variables())


def test_sums_are_on_the_towers_devices():
    towers = FedTowers(2)
    towers.reduce(chain(accumulate(3), lt_gradients.mean()))
    devices = {v.op.name: v.device for v in tf.local_variables() if "/w/" in v.op.name}
    assert devices == {
        "reduction/accumulated/w/tower_0": "/device:CPU:0", "reduction/accumulated/w/tower_1": "/device:CPU:1"
    }


def test_a_restored_run_starts_to_count_again(tmp_path):
    steps = random_steps(6, 6, 1)
    towers = FedTowers(1)
    train_op = apply_reduced(
        tf.train.GradientDescentOptimizer(0.125), towers.reduce(accumulate(3)), towers.global_step
    )
    saver = tf.train.Saver()
    with session() as running:
        for step in steps[:2]:
            running.run(train_op, towers.feed(step))
        saved = saver.save(running, str(tmp_path / "model"))
    with session() as running:
        saver.restore(running, saved)
        found = []
        for step in steps[2:]:
            running.run(train_op, towers.feed(step))
            found.append(running.run(towers.variables))
        assert running.run(towers.global_step) == 6
    assert_same(found, descended([None, None, mean_of(steps[2:5]), None]))


def test_16_bit_gradients_are_summed_in_float32():
    """Their sums are 120,000, above float16's largest number, and 2,051, where float16 has even numbers only."""
    w = tf.get_variable("w", initializer=np.zeros(2, np.float16), use_resource=True)
    table = tf.get_variable("table", initializer=np.zeros([2, 1], np.float16), use_resource=True)
    fed = tf.placeholder(tf.float16, [2])
    slices = tf.IndexedSlices(fed[:, None], tf.constant([0, 1]), tf.constant([2, 1]))
    reduced = reduce_gradients([[(fed, w), (slices, table)]], accumulate(3), ["/cpu:0"])
    train_op = apply_reduced(tf.train.GradientDescentOptimizer(1.0), reduced)
    with session() as running:
        for gradient in ([40000, 2048], [40000, 1], [40000, 2]):
            running.run(train_op, {fed: gradient})
        assert running.run(w).tolist() == [-40000, float(-np.float16(2051 / 3.0))]
    assert [row.gradients[0].dtype for row in reduced.rows] == [tf.float16] * 2


def test_momentum_changes_only_in_steps_that_apply():
    w = tf.get_variable("w", initializer=np.float64([1.0]), use_resource=True)
    slope = tf.placeholder(tf.float64, [1])
    reduced = reduce_gradients([[(slope, w)]], accumulate(2), ["/cpu:0"])
    train_op = apply_reduced(tf.train.MomentumOptimizer(0.5, 0.5), reduced)
    found = []
    with session() as running:
        for number in range(6):
            running.run(train_op, {slope: [number]})
            found.append(float(running.run(w)[0]))
    # Momentum: m = 0.5 m + g, w = w - 0.5 m, for g = 0.5, 2.5, 4.5.
    assert found == [1.0, 0.75, 0.75, -0.625, -0.625, -3.5625]


def test_the_loss_scale_is_applied_before_accumulate():
    towers = FedTowers(1)
    prepared = prepare(chain(accumulate(2), dynamic_loss_scale()), ReductionContext(["/cpu:0"], [0]), towers.variables)
    with pytest.raises(ArgumentError, match=r"comes after accumulate\(2\).*Put it before"):
        prepared.reduce(towers.tower_grads)


def test_independent_towers_may_not_skip_steps():
    towers = FedTowers(1)
    context = ReductionContext(["/cpu:0"], [1], local_updates=True)
    prepared = prepare(chain(skipping, accumulate(2)), context, towers.variables)
    with pytest.raises(ArgumentError, match="towers that skip different steps would not be ready in the same one"):
        prepared.reduce(towers.tower_grads)


def test_an_unknown_shape_is_rejected():
    with tf.variable_scope("", use_resource=True):
        w = tf.get_variable("w", initializer=tf.placeholder(tf.float32, [None]), validate_shape=False)
    with pytest.raises(ArgumentError, match="gradient of 'w' has the shape .* not known before the graph runs"):
        reduce_gradients([[(tf.placeholder(tf.float32, [None]), w)]], accumulate(2), ["/cpu:0"])


@pytest.mark.parametrize("steps", [0, -1, 1.5, True, "3"])
def test_steps_must_be_a_whole_number_of_at_least_1(steps):
    with pytest.raises(ArgumentError, match="it must be an integer of at least 1"):
        accumulate(steps)


def test_a_repr_is_the_call():
    assert repr(chain(lt_gradients.mean(), accumulate(4))) == "chain(mean(), accumulate(4))"
