"""The optimizers of tf.contrib.opt against the real ones: variables, slots by name, numbers."""
import numpy as np
import pytest
from oldtf.contrib import opt_runs

from legacy_towers.compat import tf
from legacy_towers.oldtf.contrib import opt

IS_1_15 = tf.__version__.startswith("1.15")


def check(found, recorded):
    assert sorted(found) == sorted(recorded)
    is_root = any("Shampoo" in key for key in recorded)  # of matrices, by singular values
    for key in recorded:
        np.testing.assert_allclose(found[key], recorded[key], rtol=1e-4 if is_root else 2e-5, atol=2e-6, err_msg=key)


@pytest.mark.parametrize("use_resource", [False, True], ids=["ref", "resource"])
@pytest.mark.parametrize("name", sorted(opt_runs.OPTIMIZERS))
def test_as_on_1_15(name, use_resource):
    recorded = opt_runs.recorded(name, use_resource and name not in opt_runs.REF_ALONE)
    check(opt_runs.run(opt, name, use_resource), recorded)


@pytest.mark.slow
@pytest.mark.skipif(not IS_1_15, reason="the real ones are on TensorFlow 1.15")
@pytest.mark.parametrize("name", sorted(opt_runs.OPTIMIZERS))
def test_the_recording_is_what_the_real_one_does(name):
    check(opt_runs.run(tf.contrib.opt, name, False), opt_runs.recorded(name, False))


@pytest.mark.parametrize("name", ["ElasticAverage", "ModelAverage"])
def test_averages_of_a_worker_as_on_1_15(name):
    check(opt_runs.averaged(opt, name), opt_runs.recorded(name, False))


def test_only_chosen_variables_decay():
    one = tf.get_variable("one", initializer=[2.0])
    two = tf.get_variable("two", initializer=[2.0])
    step = opt.MomentumWOptimizer(0.25, 0.0, 0.9).minimize(tf.reduce_sum(one + two), decay_var_list=[two])
    with tf.Session() as session:
        session.run(tf.global_variables_initializer())
        session.run(step)
        assert session.run([one, two]) == [[2.0], [1.5]]


def test_a_swapping_saver_saves_averages(tmp_path):
    weight = tf.get_variable("weight", initializer=[1.0])
    optimizer = opt.MovingAverageOptimizer(tf.train.GradientDescentOptimizer(1.0), 0.5)
    step = optimizer.minimize(tf.reduce_sum(weight))
    saver = optimizer.swapping_saver()
    with tf.Session() as session:
        session.run(tf.global_variables_initializer())
        session.run(step)
        path = saver.save(session, str(tmp_path / "model"))
        # One step of -1 from 1; the average began at 1.
        assert session.run(weight) == [0.0]
    assert tf.train.load_variable(path, "weight") == [0.5]
    assert tf.train.load_variable(path, "weight/ExponentialMovingAverage") == [0.0]


def test_scipy_minimizes_within_bounds_and_constraints():
    pytest.importorskip("scipy")
    point = tf.get_variable("point", initializer=[3.0, 3.0])
    loss = tf.reduce_sum(tf.square(point - [1.0, -2.0]))
    optimizer = opt.ScipyOptimizerInterface(
        loss,
        equalities=[point[0] + point[1] - 1.0],
        inequalities=[point[0] + 5.0],
        var_to_bounds={point: ([-9.0, 0.0], [9.0, 9.0])},
        method="SLSQP",
    )
    seen = []
    with tf.Session() as session:
        session.run(tf.global_variables_initializer())
        optimizer.minimize(session, fetches=[loss], loss_callback=seen.append)
        np.testing.assert_allclose(session.run(point), [1.0, 0.0], atol=1e-4)
    assert seen[-1] < seen[0]


def test_the_norm_of_gradients_that_are_zero():
    weight = tf.get_variable("weight", initializer=[3.0, 4.0])
    pairs, norm = opt.clip_gradients_by_global_norm([(tf.constant([3.0, 4.0]), weight), (None, weight)], 1.0)
    with tf.Session() as session:
        clipped, value = session.run([pairs[0][0], norm])
    np.testing.assert_allclose(clipped, [0.6, 0.8], rtol=1e-6)
    assert value == 5.0 and pairs[1][0] is None
