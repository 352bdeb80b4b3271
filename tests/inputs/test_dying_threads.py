"""A thread of an input that fails ends the run with its own error, and no thread is left."""
import threading
import time

import numpy as np
import pytest
import waiting

import legacy_towers as lt
from legacy_towers.compat import tf


def failing():
    for number in range(6):
        yield {"x": np.float32([number])}
    raise KeyError("the user's own")


def endless():
    while True:
        yield {"x": np.float32([0])}
        time.sleep(0.001)


def one_of_three(make_input):
    queue = tf.FIFOQueue(10, [tf.float32], [[1]], names=["x"])
    return lt.inputs.from_queue(queue, per_tower_batch_size=1, feed_with=[endless, failing, endless])


def of_generator(pipeline):
    examples = lt.Examples.from_generator(failing, {"x": tf.TensorSpec([1], tf.float32)}, shuffle=False)
    return lambda make_input: make_input(pipeline, examples, per_tower_batch_size=1)


@pytest.mark.parametrize("source", [
    one_of_three, of_generator("feed:background"), of_generator("dataset:next_per_tower"), of_generator("staged+feed"),
], ids=["one_of_three", "background", "dataset", "staged"])
def test_the_error_of_a_thread_is_raised_with_its_line_and_no_thread_is_left(source, make_input, cpus):
    before = threading.enumerate()
    batches = source(make_input).build(cpus[:2])
    config = lt.session_config(logical_cpus=2)
    with pytest.raises((KeyError, tf.errors.UnknownError), match="the user's own") as raised:
        with tf.train.MonitoredTrainingSession(hooks=batches.hooks, config=config) as session:
            while not session.should_stop():
                session.run(batches.per_tower)
    lines = [str(each.path) + each.name for each in raised.traceback] + [str(raised.value)]
    assert any(__file__ in line and "failing" in line for line in lines)
    assert waiting.threads_since(before) == []
