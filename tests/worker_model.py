"""The model and the examples of the tests of training over workers, with and without parameter servers."""
import numpy as np

import legacy_towers as lt
from legacy_towers.compat import tf

STEPS = 4
BATCH = 12
ROWS = np.random.RandomState(0).randn(BATCH * (STEPS + 1), 6).astype(np.float32)
TARGETS = np.random.RandomState(1).randn(BATCH * (STEPS + 1), 3).astype(np.float32)


def constant(*shape):
    return tf.constant_initializer(np.linspace(-0.5, 0.7, int(np.prod(shape))).reshape(shape))


def normalize(hidden):
    """Subtracts the mean of the batch, and keeps a moving mean, as batch norm does."""
    moving = tf.get_variable("moving_mean", [8], hidden.dtype, initializer=tf.zeros_initializer(), trainable=False)
    mean = tf.reduce_mean(hidden, axis=0)
    tf.add_to_collection(tf.GraphKeys.UPDATE_OPS, tf.assign_sub(moving, (moving - mean) * 0.1))
    return hidden - mean


def model(dtype=tf.float32, regularized=False, normalized=False, drawn=False, embedded=False):
    """Returns a model function of two layers; with `embedded` it adds rows of a table to the first."""

    def model_fn(batch, mode):
        regularizer = (lambda weights: 0.05 * tf.reduce_sum(tf.square(weights))) if regularized else None
        x = tf.cast(batch["x"], dtype)
        first = tf.get_variable("w", [6, 8], dtype, None if drawn else constant(6, 8), regularizer=regularizer)
        hidden = tf.matmul(x, first)
        if embedded:
            table = tf.get_variable("table", [40, 8], dtype, constant(40, 8))
            hidden += tf.nn.embedding_lookup(table, batch["word"], partition_strategy="div")
        if normalized:
            hidden = normalize(hidden)
        second = tf.get_variable("v", [8, 3], dtype, constant(8, 3))
        errors = tf.reduce_mean(tf.square(tf.matmul(tf.tanh(hidden), second) - tf.cast(batch["y"], dtype)), axis=1)
        return lt.TowerOutput(loss=errors, metrics={"largest": tf.cast(errors, tf.float32)})

    return model_fn
