"""tf.contrib.sparsemax: sparse probabilities (Martins and Astudillo, "From Softmax to Sparsemax", 2016)."""
from typing import Any, Optional

from legacy_towers.compat.versions import tf

__all__ = ["sparsemax", "sparsemax_loss"]


def sparsemax(logits: Any, name: Optional[str] = None) -> Any:
    """Returns the projection of each row of `logits` [batch, classes] onto the probability simplex, same shape."""
    with tf.name_scope(name, "sparsemax", [logits]):
        logits = tf.convert_to_tensor(logits, name="logits")
        count, classes = tf.shape(logits)[0], tf.shape(logits)[1]
        descending, _ = tf.nn.top_k(logits, k=classes)
        sums = tf.cumsum(descending, axis=1)
        ranks = tf.range(1, tf.cast(classes, logits.dtype) + 1, dtype=logits.dtype)
        supported = tf.reduce_sum(tf.cast(1 + ranks * descending > sums, tf.int32), axis=1)
        last = tf.stack([tf.range(count), tf.maximum(supported, 1) - 1], axis=1)
        threshold = (tf.gather_nd(sums, last) - 1) / tf.cast(supported, logits.dtype)
        result = tf.maximum(tf.zeros([], logits.dtype), logits - threshold[:, tf.newaxis])
        bad = tf.logical_or(tf.equal(supported, 0), tf.is_nan(sums[:, -1]))
        return tf.where(bad, tf.fill([count, classes], tf.cast(float("nan"), logits.dtype)), result)


def sparsemax_loss(logits: Any, sparsemax: Any, labels: Any, name: Optional[str] = None) -> Any:
    """Returns the sparsemax loss [batch].

    Args:
      logits: [batch, classes].
      sparsemax: [batch, classes], the result of `sparsemax(logits)`.
      labels: [batch, classes], probabilities.
      name: the name of the operations.
    """
    with tf.name_scope(name, "sparsemax_loss", [logits, sparsemax, labels]):
        logits = tf.convert_to_tensor(logits, name="logits")
        sparsemax = tf.convert_to_tensor(sparsemax, name="sparsemax")
        labels = tf.convert_to_tensor(labels, name="labels")
        in_support = tf.logical_or(sparsemax > 0, tf.is_nan(sparsemax))
        of_result = tf.where(in_support, sparsemax * (logits - 0.5 * sparsemax), tf.zeros_like(sparsemax))
        # Classes with probability 0 may have infinite logits; 0 * infinity is 0 here.
        impossible = tf.logical_and(tf.equal(labels, 0), tf.is_inf(logits))
        of_labels = tf.where(impossible, tf.zeros_like(logits), labels * (0.5 * labels - logits))
        return tf.reduce_sum(of_result + of_labels, axis=1)
