"""The share of the time in which steps wait for input, without a trace: by hooks and in the graph."""
import time

import numpy as np
import pytest
from measured_runs import TOWERS, run

import legacy_towers as lt
from legacy_towers.compat import tf
from legacy_towers.training.hooks.measuring import MeasuringHook

ROWS = 2
# A model that sleeps in both towers leaves threads for the input, also on two cores.
CONFIG = lt.session_config(logical_cpus=TOWERS, inter_op_threads=8, per_session_threads=True)


def slow(x):
    time.sleep(0.02)
    return x


def slower(x):
    time.sleep(0.1)  # long, beside what the input takes on a busy machine
    return x


def fast_model(batch, mode):
    w = tf.get_variable("w", [], initializer=tf.ones_initializer())
    return lt.TowerOutput(loss=w * tf.reduce_mean(batch["x"]))


def slow_model(batch, mode):
    (x,) = [tf.py_func(slower, [batch["x"]], tf.float32)]
    x.set_shape([ROWS])
    return fast_model({"x": x}, mode)


class Kept(MeasuringHook):
    """Keeps the records."""

    def __init__(self, step, every):
        super().__init__(step, every)
        self.measures = []

    def record(self, measures, values):
        self.measures.append(measures)


def waits(source, model_fn):
    """Returns the input wait of 12 steps."""
    with tf.Graph().as_default():
        step = lt.build_train_step(
            model_fn, source, tf.train.GradientDescentOptimizer(0.0), lt.devices.cpus(TOWERS)
        )
        hook = Kept(step, 12)
        run(step, 12, [hook], config=CONFIG)
    first, last = hook.measures
    assert first.input_wait is None and last.step == 12
    return last.input_wait


def rows(parse):
    """Returns a function that yields examples."""
    return lambda: ({"x": parse(np.float32(1))} for _ in range(200))


SPEC = {"x": tf.TensorSpec([], tf.float32)}


@pytest.mark.parametrize("pipeline", [lt.inputs.dataset, lt.inputs.feed])
def test_a_slow_input_is_waited_for_in_the_graph_or_in_its_hook(pipeline):
    examples = lt.Examples.from_generator(rows(slow), SPEC, count=200, shuffle=False)
    assert waits(pipeline(examples, per_tower_batch_size=ROWS), fast_model) > 0.5


def test_a_slow_model_does_not_wait_for_its_input():
    examples = lt.Examples.from_generator(rows(lambda x: x), SPEC, count=200, shuffle=False)
    assert waits(lt.inputs.dataset(examples, per_tower_batch_size=ROWS), slow_model) < 0.5


def test_tensors_without_input_ops_have_no_input_wait():
    with tf.Graph().as_default():
        batches = [{"x": tf.ones([ROWS])} for _ in range(TOWERS)]
        source = lt.inputs.from_tensors(per_tower=batches)
        step = lt.build_train_step(
            fast_model, source, tf.train.GradientDescentOptimizer(0.0), lt.devices.cpus(TOWERS)
        )
        hook = Kept(step, 3)
        run(step, 3, [hook])
    assert [each.input_wait for each in hook.measures] == [None, None]
