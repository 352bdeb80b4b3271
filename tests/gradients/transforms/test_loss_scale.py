"""Loss scales: gradients are unchanged, steps with infinite ones are skipped, and a dynamic scale matches numpy."""
import numpy as np
import pytest
from fed_towers import RATE, session

from legacy_towers import gradients as lt_gradients
from legacy_towers.compat import tf
from legacy_towers.errors import ArgumentError
from legacy_towers.gradients import (
    ReductionContext,
    chain,
    clip_by_norm,
    delayed,
    dynamic_loss_scale,
    loss_scale,
    reduce_gradients,
)
from legacy_towers.gradients.reduce import prepare
from legacy_towers.update import apply_reduced


class Towers:
    """Towers with the loss sum(w * x) + sum(rows of table at ids): w's gradient is x, the table's counts the ids."""

    def __init__(self, reduction, towers=2, weights=None, dtype=tf.float32):
        devices = ["/cpu:{}".format(index) for index in range(towers)]
        self.w = tf.get_variable("w", initializer=tf.zeros([2], dtype), use_resource=True)
        self.table = tf.get_variable("table", initializer=tf.zeros([4, 1], dtype), use_resource=True)
        self.global_step = tf.train.get_or_create_global_step()
        self.xs = [tf.placeholder(dtype, [2]) for _ in devices]
        self.ids = [tf.placeholder(tf.int32, [None]) for _ in devices]
        context = ReductionContext(devices, list(range(towers)), weights, self.global_step)
        self.prepared = prepare(reduction, context, [self.w, self.table])
        optimizer = tf.train.GradientDescentOptimizer(RATE)
        tower_grads = []
        for device, x, ids in zip(devices, self.xs, self.ids):
            with tf.device(device):
                loss = tf.reduce_sum(self.w * x) + tf.reduce_sum(tf.nn.embedding_lookup(self.table, ids))
                scaled = self.prepared.scale_loss(loss)
                assert scaled.dtype == loss.dtype
                tower_grads.append(optimizer.compute_gradients(scaled, [self.w, self.table]))
        self.reduced = self.prepared.reduce(tower_grads)
        self.train_op = apply_reduced(optimizer, self.reduced, self.global_step)

    def feed(self, xs, more=None):
        feed = dict(more or {})
        for index, x in enumerate(xs):
            feed.update({self.xs[index]: x, self.ids[index]: [index, 3, 3]})
        return feed


def steps_of(seed, steps, bad, towers=2):
    """Returns x per step and tower; in each step of `bad`, one tower's x has the given value."""
    xs = np.random.RandomState(seed).normal(size=[steps, towers, 2]).astype(np.float32)
    for step, value in bad.items():
        xs[step, step % towers, 0] = value
    return xs


def descended(xs, skipped):
    w, table, history = np.zeros(2), np.zeros(4), []
    for step, of_step in enumerate(xs):
        if step not in skipped:
            w = w - RATE * of_step.mean(axis=0)
            table = table - RATE * np.float64([0.5, 0.5, 0, 2])
        history.append(np.concatenate([w, table]))
    return history


BAD = {2: np.inf, 3: np.nan, 7: -np.inf}
ORDERS = ["before the mean", "after it"]


def ordered(part, order):
    return chain(part, lt_gradients.mean()) if order == ORDERS[0] else chain(lt_gradients.mean(), part)


@pytest.mark.parametrize("order", ORDERS)
@pytest.mark.parametrize("scale", [loss_scale(1024.0), loss_scale(3), dynamic_loss_scale(growth_steps=3)], ids=repr)
def test_steps_with_infinite_gradients_are_skipped_and_others_are_unchanged(order, scale):
    xs = steps_of(1, 10, BAD)
    towers = Towers(ordered(scale, order))
    assert isinstance(towers.reduced.rows[1].gradients[0], tf.IndexedSlices)
    with session() as running:
        for step, expected in enumerate(descended(xs, BAD)):
            running.run(towers.train_op, towers.feed(xs[step]))
            w, table, counted = running.run([towers.w, towers.table, towers.global_step])
            np.testing.assert_allclose(np.append(w, table), expected, rtol=1e-5, atol=1e-6)
            assert counted == step + 1


def kept():
    """Returns the variables of a dynamic scale: the count of good steps, and the scale."""
    return sorted((v for v in tf.global_variables() if v.op.name.startswith("reduction")), key=lambda v: v.op.name)


def expected_scales(finite, initial, growth_steps, factor, least):
    """Returns the scale and the count of good steps after each step."""
    scale, good, history = initial, 0, []
    for is_finite in finite:
        good = good + 1 if is_finite else 0
        if not is_finite:
            scale = max(scale / factor, least)
        elif good == growth_steps:
            scale, good = scale * factor, 0
        history.append((scale, good))
    return history


@pytest.mark.parametrize("order", ORDERS)
@pytest.mark.parametrize("options", [(8.0, 3, 2.0, 1.0), (8.0, 1, 4.0, 2.0), (1.0, 2, 2.0, 1.0)], ids=str)
def test_the_scale_falls_with_each_bad_step_and_rises_after_good_ones(order, options):
    initial, growth_steps, factor, least = options
    bad = {number: np.inf for number in np.flatnonzero(np.random.RandomState(3).uniform(size=60) < 0.25)}
    xs = steps_of(2, 60, bad)
    towers = Towers(ordered(dynamic_loss_scale(initial, growth_steps, factor, least), order))
    good_steps, scale = kept()
    weights = descended(xs, bad)
    with session() as running:
        for step, expected in enumerate(
            expected_scales([step not in bad for step in range(60)], initial, growth_steps, factor, least)
        ):
            running.run(towers.train_op, towers.feed(xs[step]))
            assert (running.run(scale), running.run(good_steps)) == expected
            np.testing.assert_allclose(running.run(towers.w), weights[step][:2], rtol=1e-5, atol=1e-6)


def test_a_checkpoint_has_the_scale(tmp_path):
    xs = steps_of(3, 4, {0: np.inf})
    towers = Towers(chain(lt_gradients.mean(), dynamic_loss_scale(64.0, growth_steps=3)))
    names = ["reduction/good_steps", "reduction/loss_scale"]
    assert [v.op.name for v in kept()] == names
    assert {v.op.name for v in tf.trainable_variables()} == {"w", "table"} and tf.local_variables() == []
    saver = tf.train.Saver()
    with session() as running:
        for x in xs[:3]:
            running.run(towers.train_op, towers.feed(x))
        path = saver.save(running, str(tmp_path / "model"))
    assert set(names) <= {name for name, _ in tf.train.list_variables(path)}
    with session() as running:
        saver.restore(running, path)
        assert running.run(kept()) == [2, 32.0]
        running.run(towers.train_op, towers.feed(xs[3]))
        assert running.run(kept()) == [0, 64.0]


def test_the_scale_never_becomes_infinite():
    towers = Towers(chain(lt_gradients.mean(), dynamic_loss_scale(2.0**127, growth_steps=1)))
    with session() as running:
        for _ in range(3):
            running.run(towers.train_op, towers.feed(np.full([2, 2], 2.0**-60, np.float32)))
        assert running.run(kept()) == [0, 2.0**127]


def test_gradients_too_small_for_float16_are_kept():
    """Gradients of 2^-28 are 0 in float16, whose smallest number is 2^-24."""
    found = []
    for reduction in (lt_gradients.mean(), chain(loss_scale(2.0**12), lt_gradients.mean())):
        with tf.Graph().as_default():
            w = tf.get_variable("w", initializer=tf.ones([2]), use_resource=True)
            prepared = prepare(reduction, ReductionContext(["/cpu:0"], [0]), [w])
            small = tf.placeholder_with_default(np.float16(2.0**-14), [])
            loss = tf.reduce_sum(tf.cast(w, tf.float16) * small) * small
            pairs = tf.train.GradientDescentOptimizer(1.0).compute_gradients(prepared.scale_loss(loss), [w])
            with session() as running:
                found.append(running.run(prepared.reduce([pairs]).rows[0].gradients[0]).tolist())
    assert found == [[0.0, 0.0], [2.0**-28, 2.0**-28]]


def test_a_scale_beyond_float16_divides_its_gradients_correctly():
    w = tf.get_variable("w", initializer=np.zeros(1, np.float16), use_resource=True)
    prepared = prepare(loss_scale(2.0**17), ReductionContext(["/cpu:0"], [0]), [w])
    reduced = prepared.reduce([[(tf.placeholder_with_default(np.float16([2.0**12]), [1]), w)]])
    with session() as running:
        assert running.run(reduced.rows[0].gradients[0]) == [2.0**-5]


def test_a_scale_that_the_dtype_of_the_loss_can_not_represent_is_rejected():
    with pytest.raises(ArgumentError, match=r"scale\(131072.0\): the loss is float16, whose largest number is 65504"):
        Towers(chain(loss_scale(2.0**17), lt_gradients.mean()), dtype=tf.float16)


@pytest.mark.parametrize("dtype", [tf.float64, tf.float16])
def test_the_gradients_keep_their_dtype(dtype):
    towers = Towers(chain(dynamic_loss_scale(4.0), lt_gradients.mean()), dtype=dtype)
    with session() as running:
        running.run(towers.train_op, towers.feed([[1, 2], [3, 4]]))
        np.testing.assert_array_equal(running.run(towers.w), [-0.25, -0.375])
    assert all(row.gradients[0].dtype == dtype for row in towers.reduced.rows)


def test_a_tower_with_weight_0_skips_no_step():
    tower_weights = [tf.placeholder(tf.float64, []) for _ in range(2)]
    towers = Towers(chain(dynamic_loss_scale(4.0), lt_gradients.mean()), weights=tower_weights)
    feed = towers.feed([[1, 2], [np.nan, 4]])
    with session() as running:
        running.run(towers.train_op, dict(list(feed.items()) + [(tower_weights[0], 1.0), (tower_weights[1], 0.0)]))
        np.testing.assert_array_equal(running.run(towers.w), [-0.125, -0.25])
        running.run(towers.train_op, dict(list(feed.items()) + [(tower_weights[0], 0.5), (tower_weights[1], 0.5)]))
        np.testing.assert_array_equal(running.run(towers.w), [-0.125, -0.25])
        assert running.run(towers.global_step) == 2


def test_clipping_after_the_scale_gets_unscaled_gradients():
    towers = Towers(chain(loss_scale(512.0), lt_gradients.mean(), clip_by_norm(1.0)))
    with session() as running:
        running.run(towers.train_op, towers.feed([[3, 4], [3, 4]]))
        np.testing.assert_allclose(running.run(towers.w), [-RATE * 0.6, -RATE * 0.8], rtol=1e-6)


def test_a_skip_is_combined_with_that_of_an_earlier_reduction():
    def second_only(gradients):
        return gradients._replace(apply_if=tf.equal(tf.identity(gradients.context.global_step), 1))

    towers = Towers(chain(second_only, loss_scale(2.0), lt_gradients.mean()), towers=1)
    with session() as running:
        for x in ([[1, 1]], [[1, 1]], [[1, 1]]):
            running.run(towers.train_op, towers.feed(x))
        np.testing.assert_array_equal(running.run(towers.w), [-RATE, -RATE])


def test_existing_gradients_can_not_be_scaled():
    w = tf.get_variable("w", initializer=1.0, use_resource=True)
    for reduction in (loss_scale(2.0), chain(lt_gradients.mean(), dynamic_loss_scale())):
        with pytest.raises(ArgumentError, match="scales the loss, but these gradients are computed already"):
            reduce_gradients([[(tf.ones([]), w)]], reduction, ["/cpu:0"])


@pytest.mark.parametrize(
    "make",
    [
        lambda: chain(clip_by_norm(1.0), lt_gradients.mean(), loss_scale(2.0)),
        lambda: chain(clip_by_norm(1.0), chain(lt_gradients.mean(), loss_scale(2.0))),
        lambda: chain(chain(clip_by_norm(1.0), lt_gradients.mean()), loss_scale(2.0)),
        lambda: chain(lt_gradients.mean(), lt_gradients.clip_by_value(-1, 1), dynamic_loss_scale()),
        lambda: chain(lt_gradients.mean(), lt_gradients.clip_by_global_norm(1), dynamic_loss_scale()),
        lambda: chain(lt_gradients.add_noise(1.0), lt_gradients.mean(), dynamic_loss_scale()),
    ],
    ids=["norm", "before a chain", "in a chain", "value", "global norm", "noise"],
)
def test_transforms_that_need_unscaled_gradients_are_rejected_before_the_scale(make):
    message = r"comes before .*loss_scale\(.* not their true size: put it after .*loss_scale\("
    with pytest.raises(ArgumentError, match=message):
        make()


def test_a_dynamic_scale_after_delayed_is_rejected():
    with pytest.raises(ArgumentError, match=r"comes after delayed\(\)"):
        Towers(chain(delayed(), lt_gradients.mean(), dynamic_loss_scale()))


def test_a_tensor_scale_after_delayed_is_rejected():
    changing = tf.placeholder_with_default(8.0, [])
    with pytest.raises(ArgumentError, match=r"loss_scale\(.* comes after delayed\(\)"):
        Towers(chain(delayed(), lt_gradients.mean(), loss_scale(changing)))


@pytest.mark.parametrize(
    "make, message",
    [
        (lambda: loss_scale(0), "constant is 0: it must be more than 0"),
        (lambda: dynamic_loss_scale(initial=-1.0), "initial is -1.0"),
        (lambda: dynamic_loss_scale(initial=0.5), "initial is 0.5: it must be at least least=1.0"),
        (lambda: dynamic_loss_scale(initial=float("inf")), "initial is inf: it must be finite"),
        (lambda: dynamic_loss_scale(factor=1.0), "factor is 1.0: it must be more than 1"),
        (lambda: dynamic_loss_scale(growth_steps=0), "growth_steps is 0: it must be an integer of at least 1"),
        (lambda: dynamic_loss_scale(initial=tf.ones([])), "initial is a tensor: it must be a number"),
    ],
)
def test_invalid_arguments_are_rejected(make, message):
    with pytest.raises(ArgumentError, match=message):
        make()


def test_a_repr_is_the_call():
    assert repr(loss_scale(128.0)) == "loss_scale(128.0)"
    assert repr(dynamic_loss_scale(least=2.0)) == (
        "dynamic_loss_scale(initial=32768.0, growth_steps=2000, factor=2.0, least=2.0)"
    )
