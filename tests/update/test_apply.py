"""One write per step: variables, global step, moving averages."""
import numpy as np
import pytest

import legacy_towers as lt
from legacy_towers.compat import tf
from legacy_towers.update import apply_gradients

STEPS = 12


def numpy_run(steps, rate=0.125, decay=0.9):
    """w <- w - rate * k at step k; the average follows, its decay bounded by the steps done, as TensorFlow has it.

    The rate is one that float32 holds exactly: optimizers keep theirs so, and averages their decay.
    """
    w = average = np.float64([1.0, -2.0])
    history = []
    for k in range(1, steps + 1):
        w = w - rate * k
        bounded = min(decay, (1.0 + k) / (10.0 + k))
        average = bounded * average + (1 - bounded) * w
        history.append((w, average))
    return history


@pytest.mark.parametrize("kind", ["resource", "ref"])
@pytest.mark.parametrize("place", ["/cpu:0", "/cpu:2"])
def test_moving_averages_follow_the_written_variables(kind, place):
    with tf.variable_scope(tf.get_variable_scope(), use_resource=kind == "resource"):
        with tf.device(place):
            w = tf.get_variable("w", initializer=tf.constant([1.0, -2.0], tf.float64))
        with tf.device("/cpu:0"):
            global_step = tf.train.get_or_create_global_step()
    slope = tf.placeholder(tf.float64, [2])
    averages = tf.train.ExponentialMovingAverage(0.9, global_step)
    count = tf.Variable(0, trainable=False, use_resource=kind == "resource")
    train_op = apply_gradients(
        tf.train.GradientDescentOptimizer(0.125), [(slope, w)], global_step, [tf.assign_add(count, 1)], averages, [w]
    )
    assert averages.average(w).op.name == "w/ExponentialMovingAverage"
    with tf.Session(config=tf.ConfigProto(device_count={"CPU": 4})) as session:
        session.run(tf.global_variables_initializer())
        for step, (expected, average) in enumerate(numpy_run(STEPS), 1):
            session.run(train_op, {slope: [step, step]})
            found = session.run([w, averages.average(w), global_step, count])
            np.testing.assert_allclose(found[0], expected, rtol=1e-12)
            np.testing.assert_allclose(found[1], average, rtol=1e-6)
            assert found[2:] == [step, step]


def test_a_pair_without_gradient_leaves_its_variable():
    one, two = tf.get_variable("one", initializer=1.0), tf.get_variable("two", initializer=2.0)
    global_step = tf.train.get_or_create_global_step()
    train_op = apply_gradients(
        tf.train.GradientDescentOptimizer(0.1), [(tf.constant(1.0), one), (None, two)], global_step
    )
    with tf.Session() as session:
        session.run(tf.global_variables_initializer())
        session.run(train_op)
        assert session.run([one, two, global_step]) == [pytest.approx(0.9), 2.0, 1]


@pytest.mark.parametrize("kind", ["resource", "ref"])
@pytest.mark.parametrize("towers", [1, 4])
def test_a_step_of_towers_averages_and_counts_once(kind, towers):
    def model_fn(batch, mode):
        w = tf.get_variable("w", [2], tf.float64, initializer=tf.constant_initializer([1.0, -2.0]))
        return lt.TowerOutput(loss=tf.reduce_sum(w * batch))

    step_number = tf.placeholder(tf.float64, [2])
    step = lt.build_train_step(
        model_fn, lt.inputs.from_tensors([step_number] * towers, shared_by_towers=True),
        tf.train.GradientDescentOptimizer(0.125), lt.devices.cpus(towers), moving_average_decay=0.9, variable_kind=kind,
        variables=lt.variables.RoundRobin(lt.devices.cpus(towers)),
    )
    (w,) = tf.trainable_variables()
    expected_type = "VarHandleOp" if kind == "resource" else "VariableV2"
    assert {v.op.type for v in tf.global_variables()} == {expected_type}
    with tf.Session(config=lt.session_config(logical_cpus=towers)) as session, step.running(session) as run:
        for number, (expected, average) in enumerate(numpy_run(STEPS), 1):
            run(feed_dict={step_number: [number, number]})
            found = session.run([w, step.moving_averages.average(w), step.global_step])
            np.testing.assert_allclose(found[0], expected, rtol=1e-12)
            np.testing.assert_allclose(found[1], average, rtol=1e-6)
            assert found[2] == number
