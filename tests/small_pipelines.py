"""Each input pipeline over a few numbers, with a model of one variable: for tests and benchmarks of whole runs."""
import itertools

import numpy as np

import legacy_towers as lt
from legacy_towers.compat import tf
from legacy_towers.inputs.named import make_pipeline
from legacy_towers.specs.pipelines import ROUTES

TOWERS, ROWS = 2, 4
CONFIG = lt.session_config(logical_cpus=TOWERS)
NAMES = ["feed", "feed:background", "queue"] + ["dataset:" + route for route in ROUTES] + [
    "staged+feed", "staged+queue", "staged+dataset:split", "from_dataset", "from_queue", "from_placeholders",
    "from_tensors",
]


def _repeated(epochs):
    return itertools.count() if epochs is None else range(epochs)


def source(name, x, epochs):
    """Returns the pipeline `name` over `epochs` passes (None: endless) of x, float32 [rows of 2 * TOWERS * ROWS]."""
    if name == "from_dataset":
        dataset = tf.data.Dataset.from_tensor_slices({"x": x}).repeat(epochs)
        return lt.inputs.from_dataset(dataset.batch(TOWERS * ROWS, drop_remainder=True))
    if name == "from_queue":
        queue = tf.FIFOQueue(64, [tf.float32], [[]], names=["x"])
        return lt.inputs.from_queue(
            queue, per_tower_batch_size=ROWS, feed_with=lambda: ({"x": one} for _ in _repeated(epochs) for one in x)
        )
    if name == "from_placeholders":
        placeholders = lt.tower_placeholders({"x": tf.TensorSpec([None], tf.float32)}, TOWERS)
        parts = np.split(x, len(x) // ROWS)
        return lt.inputs.from_placeholders(placeholders, (
            [{"x": part} for part in parts[start:start + TOWERS]]
            for _ in _repeated(epochs) for start in range(0, len(parts), TOWERS)
        ))
    if name == "from_tensors":
        producer = tf.train.input_producer(x, shuffle=False, num_epochs=epochs)
        return lt.inputs.from_tensors(per_tower=[{"x": producer.dequeue_many(ROWS)} for _ in range(TOWERS)])
    return make_pipeline(name, lt.Examples.from_arrays({"x": x}), per_tower_batch_size=ROWS, epochs=epochs)


def build(name, epochs):
    """Builds the step of a pipeline into the default graph; an epoch has two steps."""
    x = np.arange(2 * TOWERS * ROWS, dtype=np.float32)

    def model_fn(batch, mode):
        w = tf.get_variable("w", [], initializer=tf.zeros_initializer())
        return lt.TowerOutput(loss=tf.reduce_mean(tf.square(batch["x"] - w)))

    return lt.build_train_step(
        model_fn, source(name, x, epochs), tf.train.GradientDescentOptimizer(0.01), lt.devices.cpus(TOWERS)
    )
