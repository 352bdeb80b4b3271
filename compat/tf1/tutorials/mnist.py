"""tensorflow.examples.tutorials.mnist.mnist: the network of the tutorial, two hidden layers and a softmax.

TensorFlow 0.6 to 1.14 had it; the variables have the same names.
"""
import math
from typing import Any

from legacy_towers.compat.versions import tf

NUM_CLASSES = 10
IMAGE_SIZE = 28
IMAGE_PIXELS = IMAGE_SIZE * IMAGE_SIZE


def inference(images: Any, hidden1_units: int, hidden2_units: int) -> Any:
    """Returns the logits, [batch, 10], of `images`, float32 [batch, 784]."""
    hidden = tf.nn.relu(_linear("hidden1", images, IMAGE_PIXELS, hidden1_units))
    hidden = tf.nn.relu(_linear("hidden2", hidden, hidden1_units, hidden2_units))
    return _linear("softmax_linear", hidden, hidden2_units, NUM_CLASSES)


def _linear(name: str, inputs: Any, rows: int, columns: int) -> Any:
    with tf.name_scope(name):
        initial = tf.truncated_normal([rows, columns], stddev=1.0 / math.sqrt(float(rows)))
        weights = tf.Variable(initial, name="weights")
        biases = tf.Variable(tf.zeros([columns]), name="biases")
        return tf.matmul(inputs, weights) + biases


def loss(logits: Any, labels: Any) -> Any:
    """Returns the mean cross entropy, a scalar, of `logits` [batch, 10] and `labels`, integers [batch]."""
    return tf.losses.sparse_softmax_cross_entropy(labels=tf.cast(labels, tf.int64), logits=logits)


def training(loss: Any, learning_rate: float) -> Any:
    """Returns the operation of a step of gradient descent, which increments `global_step`; adds a summary of `loss`."""
    tf.summary.scalar("loss", loss)
    optimizer = tf.train.GradientDescentOptimizer(learning_rate)
    global_step = tf.Variable(0, name="global_step", trainable=False)
    return optimizer.minimize(loss, global_step=global_step)


def evaluation(logits: Any, labels: Any) -> Any:
    """Returns the number of correct predictions in the batch, a scalar int32."""
    return tf.reduce_sum(tf.cast(tf.nn.in_top_k(logits, labels, 1), tf.int32))
