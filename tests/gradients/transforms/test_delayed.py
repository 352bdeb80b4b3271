"""delayed: gradients of the previous step, against numpy, dense and sparse, of each tower and of their mean."""
import numpy as np
import pytest
from fed_towers import RATE, SHAPES, FedTowers, assert_same, dense, descended, mean, random_steps, session

from legacy_towers import gradients as lt_gradients
from legacy_towers.compat import tf
from legacy_towers.gradients import accumulate, chain, delayed, reduce_gradients
from legacy_towers.update import apply_reduced

EITHER_ORDER = [
    pytest.param(chain(lt_gradients.mean(), delayed()), id="after the mean"),
    pytest.param(chain(delayed(), lt_gradients.mean()), id="before the mean"),
]


@pytest.mark.parametrize("reduction", EITHER_ORDER)
@pytest.mark.parametrize("dtype", [np.float64, np.float32])
@pytest.mark.parametrize("kind", ["resource", "ref"])
def test_each_step_applies_the_gradients_of_the_previous_step(reduction, dtype, kind):
    steps = random_steps(1, 6, 2, dtype)
    towers = FedTowers(2, dtype, kind)
    reduced = towers.reduce(reduction)
    assert isinstance(reduced.rows[1].gradients[0], tf.IndexedSlices)
    expected = [None] + [mean(step) for step in steps[:-1]]
    assert_same(towers.trajectory(reduced, steps), descended(expected, dtype), 1e-12 if dtype is np.float64 else 1e-6)


def test_the_number_of_rows_may_change_between_steps():
    steps = [random_steps(number, 1, 2, rows=rows)[0] for number, rows in enumerate([5, 0, 1, 9, 3])]
    towers = FedTowers(2)
    found = towers.trajectory(towers.reduce(chain(delayed(), lt_gradients.mean())), steps)
    assert_same(found, descended([None] + [mean(step) for step in steps[:-1]]))


@pytest.mark.parametrize("kind", ["resource", "ref"])
@pytest.mark.parametrize("reduction", EITHER_ORDER)
def test_every_tower_reads_the_variables_before_they_are_written(reduction, kind):
    """w[t+1] = w[t] - rate * (w[t-1] - mean of x[t-1]): a read after the write would change this."""
    towers, size, steps = 3, 2048, 6
    xs = np.random.RandomState(2).normal(size=[steps, towers, size])
    w = tf.get_variable("w", initializer=np.zeros(size), use_resource=kind == "resource")
    global_step = tf.train.get_or_create_global_step()
    devices = ["/cpu:{}".format(index) for index in range(towers)]
    optimizer = tf.train.GradientDescentOptimizer(RATE)
    fed, tower_grads = [], []
    for device in devices:
        with tf.device(device):
            fed.append(tf.placeholder(tf.float64, [size]))
            # A gradient that reads the variable late, after other ops.
            late = w
            for _ in range(6):
                late = tf.sin(tf.asin(tf.clip_by_value(late, -10, 10) * 0.01)) * 100
            tower_grads.append(optimizer.compute_gradients(0.5 * tf.reduce_sum(tf.square(late - fed[-1])), [w]))
    train_op = apply_reduced(optimizer, reduce_gradients(tower_grads, reduction, devices), global_step)
    before, now = np.zeros(size), np.zeros(size)
    with session() as running:
        for step in range(steps):
            running.run(train_op, dict(zip(fed, xs[step])))
            gradient = 0.0 if step == 0 else before - xs[step - 1].mean(axis=0)
            before, now = now, now - RATE * gradient
            np.testing.assert_allclose(running.run(w), now, rtol=1e-9, atol=1e-9)


def test_weights_are_those_of_the_step_of_the_gradients():
    steps = random_steps(3, 4, 2)
    counts = [(4, 0), (3, 1), (0, 7), (1, 1)]
    steps[0][1]["w"][:] = np.nan
    towers = FedTowers(2)
    weights = [tf.placeholder(tf.int32, []) for _ in range(2)]
    reduced = towers.reduce(chain(delayed(), lt_gradients.mean()), weights)
    found = towers.trajectory(reduced, steps, [dict(zip(weights, of_step)) for of_step in counts])
    steps[0][1]["w"][:] = 0
    expected = [
        {name: np.average([dense(tower)[name] for tower in step], axis=0, weights=of_step) for name in SHAPES}
        for step, of_step in zip(steps, counts)
    ]
    assert_same(found, descended([None] + expected[:-1]))


def skipping(gradients):
    return gradients._replace(apply_if=tf.logical_not(tf.placeholder(tf.bool, [], name="skips")))


@pytest.mark.parametrize(
    "reduction",
    [
        pytest.param(chain(lt_gradients.mean(), skipping, delayed()), id="after the mean"),
        pytest.param(chain(skipping, delayed(), lt_gradients.mean()), id="before the mean"),
    ],
)
def test_a_skipped_step_is_skipped_one_step_later(reduction):
    steps = random_steps(4, 5, 2)
    steps[1][0]["w"][:] = np.nan
    towers = FedTowers(2)
    reduced = towers.reduce(reduction)
    skips = tf.get_default_graph().get_tensor_by_name("reduction/skips:0")
    found = towers.trajectory(reduced, steps, [{skips: number == 1} for number in range(5)])
    assert_same(found, descended([None, mean(steps[0]), None, mean(steps[2]), mean(steps[3])]))


def test_if_steps_can_be_skipped_the_first_step_applies_nothing():
    w = tf.get_variable("w", initializer=np.float64([1.0]), use_resource=True)
    slope = tf.placeholder(tf.float64, [1])
    reduced = reduce_gradients([[(slope, w)]], chain(accumulate(2), delayed()), ["/cpu:0"])
    train_op = apply_reduced(tf.train.AdamOptimizer(0.5), reduced)
    (beta1_power,) = [v for v in tf.global_variables() if v.op.name == "beta1_power"]
    with session() as running:
        found = []
        for _ in range(5):
            running.run(train_op, {slope: [1.0]})
            found.append(running.run([w, beta1_power]))
    # Step 2 completes the first two, which are applied in step 3; the next two in step 5.
    np.testing.assert_allclose([float(value[0]) for value, _ in found], [1, 1, 0.5, 0.5, 0], rtol=1e-6, atol=1e-5)
    np.testing.assert_allclose([power for _, power in found], [0.9, 0.9, 0.81, 0.81, 0.729], rtol=1e-6)


def test_the_state_is_local_and_not_in_a_checkpoint(tmp_path):
    steps = random_steps(5, 4, 2)
    towers = FedTowers(2)
    before = list(tf.global_variables())
    reduced = towers.reduce(chain(delayed(), lt_gradients.mean()))
    train_op = apply_reduced(tf.train.GradientDescentOptimizer(RATE), reduced, towers.global_step)
    assert tf.global_variables() == before
    names = {v.op.name: v.device for v in tf.local_variables()}
    assert names == {
        "reduction/delayed/{}/tower_{}{}".format(name, tower, part): "/device:CPU:{}".format(tower)
        for name, parts in [("w", [""]), ("table", ["/values", "/indices"])]
        for part in parts
        for tower in range(2)
    }
    saver = tf.train.Saver()
    with session() as running:
        for step in steps[:2]:
            running.run(train_op, towers.feed(step))
        path = saver.save(running, str(tmp_path / "model"))
    with session() as running:
        saver.restore(running, path)
        found = []
        for step in steps[2:]:
            running.run(train_op, towers.feed(step))
            found.append(running.run(towers.variables))
    # The gradients of step 2 were not saved: step 3 applies zeros.
    assert_same(found, descended([None, mean(steps[0]), None, mean(steps[2])])[2:])


def test_the_update_does_not_depend_on_this_steps_gradients():
    """The previous step's gradients are summed while this step computes: the update has no path from this step's."""
    towers = FedTowers(2)
    reduced = towers.reduce(chain(delayed(), lt_gradients.mean()))
    seen, waiting = set(), [reduced.rows[0].gradients[0].op]
    while waiting:
        op = waiting.pop()
        if op not in seen:
            seen.add(op)
            waiting += [tensor.op for tensor in op.inputs] + list(op.control_inputs)
    assert len(seen) > 4 and not any(op.type == "Placeholder" for op in seen)


def test_a_repr_is_the_call():
    assert repr(chain(delayed(), lt_gradients.mean())) == "chain(delayed(), mean())"
