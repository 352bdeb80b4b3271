"""tf.contrib.opt: the optimizers have the variables, slots and numbers of TensorFlow 1.15."""
import numpy as np
import pytest
from tf1_cases.contrib import opt_runs

from legacy_towers.compat import tf
from legacy_towers.compat.tf1.contrib import opt

IS_1_15 = tf.__version__.startswith("1.15")


def check(found, recorded):
    assert sorted(found) == sorted(recorded)
    # Roots of nearly singular matrices differ between CPUs.
    is_shampoo = any("Shampoo" in key for key in recorded)
    for key in recorded:
        np.testing.assert_allclose(found[key], recorded[key], rtol=1e-3 if is_shampoo else 2e-5, atol=2e-6, err_msg=key)


@pytest.mark.recorded
@pytest.mark.parametrize("use_resource", [False, True], ids=["ref", "resource"])
@pytest.mark.parametrize("name", sorted(opt_runs.OPTIMIZERS))
def test_optimizer_matches_tensorflow_1_15(name, use_resource):
    recorded = opt_runs.recorded(name, use_resource and name not in opt_runs.REF_ALONE)
    check(opt_runs.run(opt, name, use_resource), recorded)


@pytest.mark.recorded
@pytest.mark.slow
@pytest.mark.skipif(not IS_1_15, reason="only TensorFlow 1.15 has tf.contrib.opt itself")
@pytest.mark.parametrize("name", sorted(opt_runs.OPTIMIZERS))
def test_recording_matches_tensorflows_own_optimizer(name):
    check(opt_runs.run(tf.contrib.opt, name, False), opt_runs.recorded(name, False))


@pytest.mark.parametrize("name", ["ElasticAverage", "ModelAverage"])
def test_averaging_optimizer_matches_tensorflow_1_15(name):
    check(opt_runs.averaged(opt, name), opt_runs.recorded(name, False))


def test_momentumw_decays_only_decay_var_list():
    one = tf.get_variable("one", initializer=[2.0])
    two = tf.get_variable("two", initializer=[2.0])
    step = opt.MomentumWOptimizer(0.25, 0.0, 0.9).minimize(tf.reduce_sum(one + two), decay_var_list=[two])
    with tf.Session() as session:
        session.run(tf.global_variables_initializer())
        session.run(step)
        assert session.run([one, two]) == [[2.0], [1.5]]


def test_swapping_saver_saves_averages(tmp_path):
    weight = tf.get_variable("weight", initializer=[1.0])
    optimizer = opt.MovingAverageOptimizer(tf.train.GradientDescentOptimizer(1.0), 0.5)
    step = optimizer.minimize(tf.reduce_sum(weight))
    saver = optimizer.swapping_saver()
    with tf.Session() as session:
        session.run(tf.global_variables_initializer())
        session.run(step)
        path = saver.save(session, str(tmp_path / "model"))
        # One step of -1 from 1; the average starts at 1.
        assert session.run(weight) == [0.0]
    assert tf.train.load_variable(path, "weight") == [0.5]
    assert tf.train.load_variable(path, "weight/ExponentialMovingAverage") == [0.0]


def test_scipy_optimizer_interface_respects_bounds_and_constraints():
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
    losses = []
    with tf.Session() as session:
        session.run(tf.global_variables_initializer())
        optimizer.minimize(session, fetches=[loss], loss_callback=losses.append)
        np.testing.assert_allclose(session.run(point), [1.0, 0.0], atol=1e-4)
    assert losses[-1] < losses[0]


def test_clip_gradients_by_global_norm_skips_missing_gradients():
    weight = tf.get_variable("weight", initializer=[3.0, 4.0])
    pairs, norm = opt.clip_gradients_by_global_norm([(tf.constant([3.0, 4.0]), weight), (None, weight)], 1.0)
    with tf.Session() as session:
        clipped, value = session.run([pairs[0][0], norm])
    np.testing.assert_allclose(clipped, [0.6, 0.8], rtol=1e-6)
    assert value == 5.0 and pairs[1][0] is None
