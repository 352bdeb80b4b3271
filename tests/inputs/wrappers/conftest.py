"""Fixtures of the tests of staging."""
import numpy as np
import pytest


@pytest.fixture
def staged():
    from legacy_towers.inputs.wrappers.staged import staged

    return staged


@pytest.fixture
def numbered():
    """Returns a function that makes batches for two towers, [[2k, 2k+1]] in step k, by a pipeline."""
    from legacy_towers import inputs
    from legacy_towers.compat import tf

    def make(pipeline, steps):
        rows = [np.arange(2 * step, 2 * step + 2) for step in range(steps)]
        if pipeline == "from_placeholders":
            placeholders = inputs.tower_placeholders({"id": tf.TensorSpec([None], tf.int64)}, 2)
            return inputs.from_placeholders(placeholders, lambda: iter([{"id": row} for row in rows]))
        dataset = tf.data.Dataset.range(2 * steps).batch(2).map(lambda ids: {"id": ids})
        if pipeline == "from_dataset":
            return inputs.from_dataset(dataset)
        queue = tf.FIFOQueue(10, [tf.int64], [[]])
        tf.train.add_queue_runner(tf.train.QueueRunner(queue, [queue.enqueue(counted(tf, 2 * steps))]))
        return inputs.from_tensors(global_batch={"id": queue.dequeue_many(2)})

    def counted(tf, limit):
        counter = tf.get_local_variable("counter", [], tf.int64, tf.zeros_initializer(), use_resource=False)
        return counter.count_up_to(limit)

    return make
