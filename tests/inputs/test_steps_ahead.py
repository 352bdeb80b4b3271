"""`InputPlan.steps_ahead` is an upper bound of the batches prepared early, counted in the parse function."""
import threading

import numpy as np
import pytest
import waiting

import legacy_towers as lt
from legacy_towers.compat import tf
from legacy_towers.inputs.named import make_pipeline
from legacy_towers.specs.pipelines import PIPELINES

TOWERS, PER_TOWER, STEPS = 2, 32, 3
FUSED_BATCHES = 16  # the most that TensorFlow's fused map and batch holds


def counted(parsed, lock):
    """Returns examples that count how many of them were parsed."""

    def count(value):
        with lock:
            parsed.append(None)
        return value

    def parse(example):
        value = tf.numpy_function(count, [example["x"]], tf.float32)
        value.set_shape([3])
        return {"x": value}

    return lt.Examples.from_arrays({"x": np.ones([64, 3], np.float32)}, shuffle=False).map(parse)


def at_rest(parsed):
    """Returns how many examples were parsed, once their number has stayed the same for 0.3 s."""
    while True:
        before = len(parsed)
        if not waiting.happens(lambda known=before: len(parsed) > known, seconds=0.3):
            return before


@pytest.mark.parametrize("name", PIPELINES)
def test_steps_ahead_is_an_upper_bound(name):
    parsed, lock = [], threading.Lock()
    devices = lt.devices.cpus(TOWERS)
    batches = make_pipeline(name, counted(parsed, lock), per_tower_batch_size=PER_TOWER).build(devices)
    fetches = [tf.identity(batch["x"]) for batch in batches.per_tower]
    config = lt.session_config(logical_cpus=TOWERS)
    with tf.train.SingularMonitoredSession(hooks=batches.hooks, config=config) as session:
        for _ in range(STEPS):
            session.run(fetches)
        early = at_rest(parsed) - STEPS * TOWERS * PER_TOWER
    if name == "synthetic":
        assert batches.plan.steps_ahead == 0
    else:
        # Parallel maps hold single examples besides: at most a step of them.
        assert early <= ((batches.plan.steps_ahead + 1) * TOWERS + FUSED_BATCHES) * PER_TOWER


def test_steps_ahead_of_from_queue_is_its_capacity():
    devices = lt.devices.cpus(2)

    def ahead(queue, **options):
        return lt.inputs.from_queue(queue, **options).build(devices).plan.steps_ahead

    queue = tf.FIFOQueue(50, tf.float32, [3])
    assert ahead(queue, per_tower_batch_size=4) == 7  # of 8 examples
    assert ahead(queue, per_tower_batch_size=4, prefetch=2) == 10
    assert ahead(queue) == 25  # its elements are towers' batches
    assert ahead(tf.RandomShuffleQueue(50, 34, tf.float32, [3]), per_tower_batch_size=4) == 2  # it keeps at least 34
    assert ahead(tf.FIFOQueue(-1, tf.float32, [3]), per_tower_batch_size=4) is None
