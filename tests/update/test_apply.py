"""Variables, global step and moving averages are written once per step, and not in steps that apply nothing."""
import time

import numpy as np
import pytest
from fed_towers import session

import legacy_towers as lt
from legacy_towers.compat import tf
from legacy_towers.errors import ArgumentError
from legacy_towers.gradients import GradientRow, ReductionContext, TowerGradients
from legacy_towers.update import apply_reduced

STEPS = 12


def numpy_run(steps, rate=0.125, decay=0.9):
    """w <- w - rate * k at step k; the average follows, with a decay bounded by the number of steps, as in TensorFlow.

    The rate is exact in float32, the dtype of the optimizers' rates and of the averages' decay.
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
    reduced = lt.reduce_gradients([[(slope, w)]], lt.gradients.mean(), [place])
    train_op = apply_reduced(
        tf.train.GradientDescentOptimizer(0.125), reduced, global_step, [tf.assign_add(count, 1)], averages, [w]
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


def test_a_variable_without_a_gradient_stays():
    one, two = tf.get_variable("one", initializer=1.0), tf.get_variable("two", initializer=2.0)
    global_step = tf.train.get_or_create_global_step()
    reduced = lt.reduce_gradients([[(tf.constant(1.0), one), (None, two)]] * 2, lt.gradients.mean(), ["/cpu:0"] * 2)
    train_op = apply_reduced(tf.train.GradientDescentOptimizer(0.1), reduced, global_step)
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
        model_fn,
        lt.inputs.from_tensors([step_number] * towers, shared_by_towers=True),
        tf.train.GradientDescentOptimizer(0.125),
        lt.devices.cpus(towers),
        moving_average_decay=0.9,
        use_resource=kind == "resource",
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


OPTIMIZERS = {
    "gradient descent": lambda: tf.train.GradientDescentOptimizer(0.125),
    "momentum": lambda: tf.train.MomentumOptimizer(0.125, 0.5),
    "adam": lambda: tf.train.AdamOptimizer(0.125),
    "rmsprop": lambda: tf.train.RMSPropOptimizer(0.125, momentum=0.5),
    "adagrad": lambda: tf.train.AdagradOptimizer(0.125),
    "ftrl": lambda: tf.train.FtrlOptimizer(0.125, l1_regularization_strength=0.01),
}
APPLIED = [False, True, True, False, False, True, True, False]


class Fed:
    """A dense and a sparse gradient that are fed, and a variable without one."""

    def __init__(self, kind):
        with tf.variable_scope(tf.get_variable_scope(), use_resource=kind == "resource"):
            with tf.device("/cpu:1"):
                w = tf.get_variable("w", initializer=np.float32([1, -2, 3]))
            table = tf.get_variable("table", initializer=np.ones((4, 2), np.float32))
            idle = tf.get_variable("idle", initializer=np.float32(7))
            self.global_step = tf.train.get_or_create_global_step()
        self.variables = [w, table, idle]
        self._dense, self._rows = tf.placeholder(tf.float32, [3]), tf.placeholder(tf.float32, [3, 2])
        slices = tf.IndexedSlices(self._rows, tf.constant([2, 0, 2]), tf.constant([4, 2]))
        self.pairs = [(self._dense, w), (slices, table), (None, idle)]

    def reduced(self, apply_if=None, unconditional_ops=()):
        rows = [GradientRow(variable.op.name, variable, [gradient]) for gradient, variable in self.pairs]
        return TowerGradients(rows, ReductionContext(["/cpu:0"], [0]), True, apply_if, tuple(unconditional_ops))

    def feed(self, step, more=None):
        rng = np.random.RandomState(step)
        feed = dict(more or {})
        feed.update({self._dense: rng.normal(size=3), self._rows: rng.normal(size=[3, 2])})
        return feed


def by_name(running):
    """Returns name -> value of every variable except the global step."""
    return {v.op.name: running.run(v) for v in tf.global_variables() if v.op.name != "global_step"}


@pytest.mark.parametrize("kind", ["resource", "ref"])
@pytest.mark.parametrize("name", list(OPTIMIZERS))
def test_the_optimizer_sees_only_the_steps_that_apply(name, kind):
    """All variables and slots equal those of the optimizer alone, run for these steps only."""
    with tf.Graph().as_default(), tf.name_scope("mine"):
        fed = Fed(kind)
        train_op = OPTIMIZERS[name]().apply_gradients(fed.pairs)
        with session() as running:
            expected = [by_name(running)]
            for step, is_applied in enumerate(APPLIED):
                if is_applied:
                    running.run(train_op, fed.feed(step))
                expected.append(by_name(running))
    with tf.Graph().as_default(), tf.name_scope("mine"):
        fed = Fed(kind)
        apply_if = tf.placeholder(tf.bool, [])
        train_op = apply_reduced(OPTIMIZERS[name](), fed.reduced(apply_if), fed.global_step)
        with session() as running:
            found = [by_name(running)]
            for step, is_applied in enumerate(APPLIED):
                running.run(train_op, fed.feed(step, {apply_if: is_applied}))
                found.append(by_name(running))
                assert running.run(fed.global_step) == step + 1
    for number, (one, other) in enumerate(zip(found, expected)):
        assert sorted(one) == sorted(other)
        for variable in other:
            np.testing.assert_array_equal(one[variable], other[variable], "{} after {}".format(variable, number))
    assert not np.array_equal(expected[0]["w"], expected[-1]["w"])


@pytest.mark.parametrize("kind", ["resource", "ref"])
def test_moving_averages_update_in_steps_that_apply_and_update_ops_in_all(kind):
    fed = Fed(kind)
    apply_if = tf.placeholder(tf.bool, [])
    averages = tf.train.ExponentialMovingAverage(0.5)
    seen, beside = (tf.Variable(0, trainable=False, use_resource=True, name=name) for name in ("seen", "beside"))
    reduced = fed.reduced(apply_if, [tf.assign_add(beside, 1).op])
    train_op = apply_reduced(
        tf.train.GradientDescentOptimizer(0.125),
        reduced,
        fed.global_step,
        [tf.assign_add(seen, 1)],
        averages,
        fed.variables[:1],
    )
    w = fed.variables[0]
    assert averages.average(w).op.name == "w/ExponentialMovingAverage"
    with session() as running:
        average, plain = running.run([averages.average(w), w])
        for step, is_applied in enumerate(APPLIED):
            running.run(train_op, fed.feed(step, {apply_if: is_applied}))
            if is_applied:
                plain = plain - 0.125 * np.random.RandomState(step).normal(size=3)
                average = 0.5 * average + 0.5 * plain
            found = running.run([w, averages.average(w), seen, beside, fed.global_step])
            np.testing.assert_allclose(found[0], plain, rtol=1e-5)
            np.testing.assert_allclose(found[1], average, rtol=1e-5)
            assert found[2:] == [step + 1] * 3


def test_num_updates_of_a_moving_average_is_the_global_step():
    w = tf.get_variable("w", initializer=np.float64([1.0]), use_resource=True)
    global_step = tf.train.get_or_create_global_step()
    apply_if = tf.placeholder(tf.bool, [])
    averages = tf.train.ExponentialMovingAverage(0.9, global_step)
    row = GradientRow("w", w, [tf.ones([1], tf.float64)])
    reduced = TowerGradients([row], ReductionContext(["/cpu:0"], [0]), True, apply_if)
    train_op = apply_reduced(tf.train.GradientDescentOptimizer(0.125), reduced, global_step, (), averages, [w])
    with session() as running:
        expected, plain = 1.0, 1.0
        for step, is_applied in enumerate(APPLIED, 1):
            running.run(train_op, {apply_if: is_applied})
            if is_applied:
                plain -= 0.125
                decay = min(0.9, (1.0 + step) / (10.0 + step))
                expected = decay * expected + (1 - decay) * plain
            np.testing.assert_allclose(running.run(averages.average(w)), [expected], rtol=1e-6)


@pytest.mark.parametrize("kind", ["resource", "ref"])
@pytest.mark.parametrize("conditional", [True, False])
def test_variables_are_written_after_unconditional_ops(conditional, kind):
    fed = Fed(kind)
    w = fed.variables[0]
    slow = tf.py_func(lambda: time.sleep(0.05), [], [], stateful=True)
    seen = tf.Variable(np.zeros(3, np.float32), trainable=False, use_resource=True)
    with tf.control_dependencies([slow]):
        read = tf.assign(seen, w.read_value() * 1).op
    reduced = fed.reduced(tf.constant(True) if conditional else None, [read])
    train_op = apply_reduced(tf.train.GradientDescentOptimizer(0.125), reduced, fed.global_step)
    with session() as running:
        for step in range(3):
            before = running.run(w)
            running.run(train_op, fed.feed(step))
            np.testing.assert_array_equal(running.run(seen), before)
            assert not np.array_equal(running.run(w), before)


def test_a_step_that_applies_nothing_is_counted_after_its_gradients_were_computed():
    w = tf.get_variable("w", initializer=0.0, use_resource=True)
    global_step = tf.train.get_or_create_global_step()
    slow = tf.py_func(lambda: time.sleep(0.05), [], [], stateful=True)
    seen = []
    with tf.control_dependencies([slow]):
        number = tf.cast(global_step.read_value(), tf.float32)
    (gradient,) = tf.py_func(lambda value: (seen.append(float(value)), value)[1:], [number], [tf.float32])
    gradient.set_shape([])
    reduced = TowerGradients(
        [GradientRow("w", w, [gradient])], ReductionContext(["/cpu:0"], [0]), True, tf.constant(False)
    )
    train_op = apply_reduced(tf.train.GradientDescentOptimizer(0.125), reduced, global_step)
    with session() as running:
        for _ in range(4):
            running.run(train_op)
        assert running.run([w, global_step]) == [0.0, 4]
    assert seen == [0.0, 1.0, 2.0, 3.0]


@pytest.mark.parametrize(
    "optimizer, reduced, message",
    [
        (tf.train.AdamOptimizer, lambda fed: fed.reduced(), "optimizer is <class .*: give a tf.train.Optimizer"),
        ("adam", lambda fed: fed.reduced(), "optimizer is 'adam': give a tf.train.Optimizer, such as"),
        (None, lambda fed: fed.reduced(), "optimizer is None: give a tf.train.Optimizer"),
        (tf.train.AdamOptimizer(), lambda fed: [(1, 2)], "reduced must be what lt.reduce_gradients returns, got list:"),
        (tf.train.AdamOptimizer(), lambda fed: None, "reduced must be what lt.reduce_gradients returns, got NoneType"),
        (
            tf.train.AdamOptimizer(),
            lambda fed: TowerGradients(
                [GradientRow("w", fed.variables[0], [1, 2])], ReductionContext(["/cpu:0"] * 2, [0, 1])
            ),
            "the gradients for 'w' are still one per tower: reduce them by lt.reduce_gradients",
        ),
    ],
    ids=["class", "name", "nothing", "pairs", "no gradients", "one per tower"],
)
def test_bad_arguments_are_refused(optimizer, reduced, message):
    with pytest.raises(ArgumentError, match=message):
        apply_reduced(optimizer, reduced(Fed("resource")))


@pytest.mark.parametrize(
    "options, message",
    [
        ({"global_step": 5}, "global_step is 5: pass the variable that tf.train.get_or_create_global_step.. returns"),
        ({"moving_averages": 0.9}, "moving_averages is 0.9 over 0 variables: give a tf.train.ExponentialMovingAverage"),
        (
            {"moving_averages": tf.train.ExponentialMovingAverage(0.9)},
            "over 0 variables: .*, and its variables as averaged_variables, such as tf.trainable_variables",
        ),
    ],
    ids=["number as step", "decay", "nothing to average"],
)
def test_bad_options_are_refused(options, message):
    with pytest.raises(ArgumentError, match=message):
        apply_reduced(tf.train.GradientDescentOptimizer(0.1), Fed("resource").reduced(), **options)


class OldWrapper:
    """An optimizer of old code, which has only the methods that it needs."""

    def __init__(self, wrapped):
        self._wrapped = wrapped

    def apply_gradients(self, grads_and_vars, global_step=None, name=None):
        return self._wrapped.apply_gradients([(g, v) for g, v in grads_and_vars if g is not None], global_step, name)


@pytest.mark.parametrize("conditional", [True, False])
def test_an_object_with_apply_gradients_is_accepted(conditional):
    fed = Fed("resource")
    optimizer = OldWrapper(tf.train.AdamOptimizer(0.125))
    reduced = fed.reduced(tf.constant(True) if conditional else None)
    train_op = apply_reduced(optimizer, reduced, fed.global_step)
    names = {v.op.name for v in tf.global_variables()}
    assert {"beta1_power", "beta2_power", "w/Adam", "w/Adam_1", "table/Adam"} <= names
    with session() as running:
        running.run(train_op, fed.feed(0))
        found = running.run([fed.variables[0], fed.global_step])
    # Adam's first step has the size of the learning rate, for any gradient.
    np.testing.assert_allclose(np.abs(found[0] - [1, -2, 3]), [0.125] * 3, rtol=1e-4)
    assert found[1] == 1


@pytest.mark.parametrize("conditional", [True, False])
def test_without_a_global_step_nothing_is_counted(conditional):
    fed = Fed("resource")
    reduced = fed.reduced(tf.constant(True) if conditional else None)
    train_op = apply_reduced(tf.train.GradientDescentOptimizer(0.125), reduced)
    with session() as running:
        running.run(train_op, fed.feed(0))
        assert running.run(fed.global_step) == 0
        assert not np.array_equal(running.run(fed.variables[0]), [1, -2, 3])
