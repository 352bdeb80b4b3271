"""Small nets with fixed initial values, for comparing towers with one device and versions of TensorFlow."""
import numpy as np

import legacy_towers as lt
from legacy_towers.compat import tf

CLASSES = 5


def examples(kind, count, dtype=np.float64, seed=0):
    """Returns arrays of `count` examples for the net of a kind: {"x": ..., "y": int64 [count]}."""
    rng = np.random.RandomState(seed)
    x = {
        "dense": lambda: rng.normal(size=[count, 12]).astype(dtype),
        "conv": lambda: rng.normal(size=[count, 6, 6, 2]).astype(dtype),
        "embedding": lambda: rng.randint(0, 30, size=[count, 4]).astype(np.int64),
    }[kind]()
    return {"x": x, "y": rng.randint(0, CLASSES, size=[count]).astype(np.int64)}


def variable(name, shape, dtype, regularizer=None):
    """Returns a variable whose initial values depend on name and shape only, on any TensorFlow."""
    seed = sum(map(ord, name)) % 1000
    value = np.random.RandomState(seed).normal(size=shape, scale=0.3).astype(dtype)
    return tf.get_variable(
        name, shape, tf.as_dtype(dtype), initializer=tf.constant_initializer(value), regularizer=regularizer
    )


def l2(scale):
    def decay(weights):
        return tf.multiply(tf.nn.l2_loss(weights), tf.constant(scale, weights.dtype.base_dtype), name="decay")

    return decay


def no_decay(name, shape, dtype):
    return variable(name, shape, dtype)


def get_variable_decay(name, shape, dtype):
    return variable(name, shape, dtype, regularizer=l2(0.1))


def tutorial_decay(name, shape, dtype):
    weights = variable(name, shape, dtype)
    tf.add_to_collection("losses", l2(0.1)(weights))
    return weights


def total_loss_decay(name, shape, dtype):
    return get_variable_decay(name, shape, dtype)


def model(kind, dtype=np.float64, weights=no_decay, collect=False, per_example=False):
    """Returns the model function of the net of a kind.

    `collect` puts its loss into the collection 'losses'; `per_example` makes it a vector.
    """

    def model_fn(batch, mode):
        if kind == "dense":
            hidden = tf.tanh(tf.matmul(batch["x"], weights("w1", [12, 16], dtype)) + variable("b1", [16], dtype))
        elif kind == "conv":
            kernel = weights("k1", [3, 3, 2, 4], dtype)
            filtered = tf.nn.conv2d(batch["x"], kernel, strides=[1, 1, 1, 1], padding="SAME")
            hidden = tf.reshape(tf.nn.relu(filtered + variable("c1", [4], dtype)), [-1, 6 * 6 * 4])
        else:
            hidden = tf.reshape(tf.nn.embedding_lookup(weights("table", [30, 3], dtype), batch["x"]), [-1, 12])
        logits = tf.matmul(hidden, weights("w2", [hidden.shape[1].value, CLASSES], dtype)) + variable(
            "b2", [CLASSES], dtype
        )
        losses = tf.nn.sparse_softmax_cross_entropy_with_logits(labels=batch["y"], logits=logits)
        loss = losses if per_example else tf.reduce_mean(losses)
        if collect:
            tf.add_to_collection("losses", loss)
            return lt.TowerOutput()
        if weights is total_loss_decay:
            loss = loss + tf.losses.get_regularization_loss()
        return lt.TowerOutput(loss=loss)

    return model_fn


def config(towers=4):
    return lt.session_config(logical_cpus=max(towers, 1))
