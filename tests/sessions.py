"""A step on two towers and the same computation in numpy, for the tests of training sessions."""
import numpy as np

import legacy_towers as lt
from legacy_towers.compat import tf

TOWERS, ROWS, RATE = 2, 3, 0.25
CONFIG = lt.session_config(logical_cpus=TOWERS)


def numbers(steps, seed=0):
    """Returns x of `steps` steps, float32 [steps, towers, rows]."""
    return np.random.RandomState(seed).rand(steps, TOWERS, ROWS).astype(np.float32)


def square(batch, mode):
    w = tf.get_variable("w", [], initializer=tf.ones_initializer())
    return lt.TowerOutput(loss=tf.reduce_mean(tf.square(w * batch["x"] - 2.0)))


def build(x, model_fn=square, pipeline=lt.inputs.feed, optimizer=None, **options):
    """Builds the step that reads x in its order."""
    source = pipeline(
        lt.Examples.from_arrays({"x": x.reshape(-1)}), per_tower_batch_size=ROWS, order="fixed", epochs=None
    )
    optimizer = tf.train.GradientDescentOptimizer(RATE) if optimizer is None else optimizer
    return lt.build_train_step(model_fn, source, optimizer, lt.devices.cpus(TOWERS), **options)


def reference(x, w=1.0, skipped=()):
    """Returns (the loss of each step, w after it), by numpy; updates of the steps in `skipped` are not applied."""
    losses, values = [], []
    for number, batch in enumerate(x.astype(np.float64)):
        losses.append(np.mean((w * batch - 2.0) ** 2))
        if number + 1 not in skipped:
            w -= RATE * np.mean(2.0 * (w * batch - 2.0) * batch)
        values.append(w)
    return losses, values


def run_all(session, step, fetches=None):
    """Runs steps until the session ends; returns what was fetched in each."""
    fetched = []
    for train_op in step.train_ops():
        if session.should_stop():
            return fetched
        fetched.append(session.run([train_op, [] if fetches is None else fetches])[1])


def saved(path):
    """Returns name -> value of a checkpoint."""
    return {name: tf.train.load_variable(path, name) for name, _ in tf.train.list_variables(path)}
