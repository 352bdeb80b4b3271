"""Gaussian noise: moments, independence of towers, decay, and seeds."""
import numpy as np
import pytest
from fed_towers import FedTowers, dense_results, random_steps, session

from legacy_towers import gradients as lt_gradients
from legacy_towers.compat import tf
from legacy_towers.errors import ArgumentError
from legacy_towers.gradients import GradientRow, ReductionContext, TowerGradients, add_noise, chain, reduce_gradients

SIZE = 20000


def noises(reduction, towers, steps=1, global_step=None, dtype=np.float64):
    """Returns the results for gradients of zero of one variable, for each of some steps."""
    w = tf.get_variable("w", initializer=np.zeros(SIZE, dtype), use_resource=True)
    devices = ["/cpu:{}".format(index) for index in range(towers)]
    pairs = [[(tf.placeholder_with_default(np.zeros(SIZE, dtype), [SIZE]), w)] for _ in devices]
    reduced = reduce_gradients(pairs, reduction, devices, global_step=global_step)
    with session() as running:
        found = []
        for _ in range(steps):
            found.append(running.run(reduced.rows[0].gradients[0]))
            if global_step is not None:
                running.run(tf.assign_add(global_step, 1))
        return found


@pytest.mark.parametrize("dtype", [np.float64, np.float32, np.float16])
def test_the_noise_has_the_given_standard_deviation(dtype):
    (noise,) = noises(add_noise(0.5, seed=1), 1, dtype=dtype)
    assert noise.dtype == dtype
    noise = noise.astype(np.float64)
    # Five standard errors of the mean and of the deviation of 20,000 numbers.
    assert abs(noise.mean()) < 5 * 0.5 / SIZE**0.5
    assert abs(noise.std() - 0.5) < 5 * 0.5 / (2 * SIZE) ** 0.5
    # The probability of one deviation of a Gaussian is 0.6827.
    assert abs((np.abs(noise) < 0.5).mean() - 0.6827) < 0.02


def test_before_the_mean_each_tower_has_its_own_noise():
    with tf.Graph().as_default():
        (noise,) = noises(chain(add_noise(0.5, seed=1), lt_gradients.mean()), 4)
    assert abs(noise.std() - 0.5 / 4**0.5) < 0.01
    with tf.Graph().as_default():
        (noise,) = noises(chain(lt_gradients.mean(), add_noise(0.5, seed=1)), 4)
    assert abs(noise.std() - 0.5) < 0.02


def test_the_noise_decays_as_in_the_paper():
    global_step = tf.train.get_or_create_global_step()
    found = noises(chain(lt_gradients.mean(), add_noise(0.3, gamma=0.55, seed=3)), 1, 6, global_step)
    for step, noise in enumerate(found):
        expected = (0.3**2 / (1 + step) ** 0.55) ** 0.5
        assert abs(noise.std() - expected) < 5 * expected / (2 * SIZE) ** 0.5
    assert not np.array_equal(found[0], found[1])


def test_decay_needs_a_global_step():
    with pytest.raises(ArgumentError, match=r"add_noise\(0.3, gamma=0.55\) needs the global step"):
        noises(add_noise(0.3, gamma=0.55), 1)


def test_a_seed_repeats_the_noise_and_variables_and_towers_differ():
    (step,) = random_steps(1, 1, 2)
    found = []
    for seed in (5, 5, 6):
        with tf.Graph().as_default():
            fed = FedTowers(2)
            reduced = fed.reduce(chain(add_noise(1.0, seed=seed), lambda gradients: gradients._replace(reduced=True)))
            with session() as running:
                found.append(running.run(dense_results(reduced), fed.feed(step)))
    first, again, other = found
    for one, two in zip(first, again):
        np.testing.assert_array_equal(one, two)
    assert not np.isclose(first[0][0], other[0][0]).any()
    noise = [first[0][tower] - step[tower]["w"] for tower in range(2)]
    assert not np.isclose(noise[0], noise[1]).any()
    assert not np.isclose(noise[0].ravel()[:4], (first[1][0] - dense_table(step[0])).ravel()[:4]).any()


def test_independent_towers_have_different_noise_with_one_seed():
    w = tf.get_variable("w", initializer=np.zeros(3), use_resource=True)
    made = []
    for tower in range(3):
        row = GradientRow("w", w, [tf.zeros([3], tf.float64)])
        for reduced in (False, True):
            one = TowerGradients([row], ReductionContext(["/cpu:0"], [tower], local_updates=True), reduced)
            made.append(add_noise(1.0, seed=5).update(one, None).rows[0].gradients[0])
    with session() as running:
        noise = np.array(running.run(made))
    np.testing.assert_array_equal(noise[::2], noise[1::2])
    assert len(np.unique(noise[::2])) == 9


def dense_table(of_tower):
    table = np.zeros((5, 2))
    np.add.at(table, of_tower["table"][1], of_tower["table"][0])
    return table


def test_each_row_of_a_sparse_gradient_gets_noise_once():
    rows = SIZE // 2
    table = tf.get_variable("table", initializer=np.zeros((rows + 1, 2)), use_resource=True)
    # Each row three times, except the last one, which is missing.
    indices = np.tile(np.arange(rows), 3)
    slices = tf.IndexedSlices(
        tf.placeholder_with_default(np.zeros((3 * rows, 2)), [None, 2]), tf.constant(indices), [rows + 1, 2]
    )
    (row,) = reduce_gradients([[(slices, table)]], add_noise(0.5, seed=1), ["/cpu:0"]).rows
    assert isinstance(row.gradients[0], tf.IndexedSlices)
    with session() as running:
        noise = running.run(tf.convert_to_tensor(row.gradients[0]))
    np.testing.assert_array_equal(noise[-1], [0, 0])
    assert abs(noise[:-1].std() - 0.5) < 5 * 0.5 / (2 * SIZE) ** 0.5


def test_copies_of_a_variable_get_the_same_noise():
    """Otherwise the towers' copies would diverge."""
    w = tf.get_variable("w", initializer=np.zeros(3), use_resource=True)
    table = tf.get_variable("table", initializer=np.zeros((3, 1)), use_resource=True)
    slices = [
        tf.IndexedSlices(tf.ones([2, 1], tf.float64), tf.constant(order), tf.constant([3, 1]))
        for order in ([0, 2], [2, 0])
    ]
    rows = [
        GradientRow("w", w, [tf.zeros([3], tf.float64), tf.zeros([3], tf.float64)]),
        GradientRow("table", table, slices),
    ]
    context = ReductionContext(["/cpu:0", "/cpu:1"], [0, 1], has_copies=True)
    noised = add_noise(1.0).update(TowerGradients(rows, context, reduced=True), None)
    with session() as running:
        (w0, w1), (table0, table1) = running.run(dense_results(noised))
    np.testing.assert_array_equal(w0, w1)
    np.testing.assert_array_equal(table0, table1)
    assert w0.all() and table0[[0, 2]].all() and not table0[1].any()


@pytest.mark.parametrize(
    "options, message",
    [
        ({"stddev": 0.0}, "stddev is 0.0: it must be more than 0"),
        ({"stddev": 1.0, "gamma": -1}, "gamma is -1"),
        ({"stddev": 1.0, "seed": 1.5}, "seed is 1.5: it must be an integer or None"),
    ],
)
def test_invalid_arguments_are_rejected(options, message):
    with pytest.raises(ArgumentError, match=message):
        add_noise(**options)


def test_a_repr_is_the_call():
    assert repr(add_noise(0.1)) == "add_noise(0.1)"
    assert repr(add_noise(0.1, gamma=0.55, seed=7)) == "add_noise(0.1, gamma=0.55, seed=7)"
