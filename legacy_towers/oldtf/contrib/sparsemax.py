"""tf.contrib.sparsemax: probabilities with zeros (Martins and Astudillo, "From Softmax to Sparsemax", 2016)."""
from typing import Any, Optional

from legacy_towers.compat import tf

__all__ = ["sparsemax", "sparsemax_loss"]


def sparsemax(logits: Any, name: Optional[str] = None) -> Any:
    """Returns the point of the simplex that is nearest to each row of `logits` [batch, classes]."""
    with tf.name_scope(name, "sparsemax", [logits]):
        logits = tf.convert_to_tensor(logits, name="logits")
        count, classes = tf.shape(logits)[0], tf.shape(logits)[1]
        falling, _ = tf.nn.top_k(logits, k=classes)
        sums = tf.cumsum(falling, axis=1)
        ranks = tf.range(1, tf.cast(classes, logits.dtype) + 1, dtype=logits.dtype)
        supported = tf.reduce_sum(tf.cast(1 + ranks * falling > sums, tf.int32), axis=1)
        last = tf.stack([tf.range(count), tf.maximum(supported, 1) - 1], axis=1)
        threshold = (tf.gather_nd(sums, last) - 1) / tf.cast(supported, logits.dtype)
        result = tf.maximum(tf.zeros([], logits.dtype), logits - threshold[:, tf.newaxis])
        bad = tf.logical_or(tf.equal(supported, 0), tf.is_nan(sums[:, -1]))
        return tf.where(bad, tf.fill([count, classes], tf.cast(float("nan"), logits.dtype)), result)


def sparsemax_loss(logits: Any, sparsemax: Any, labels: Any, name: Optional[str] = None) -> Any:
    """Returns the loss [batch] of `labels` (probabilities) under sparsemax(logits), which is given too."""
    with tf.name_scope(name, "sparsemax_loss", [logits, sparsemax, labels]):
        logits = tf.convert_to_tensor(logits, name="logits")
        sparsemax = tf.convert_to_tensor(sparsemax, name="sparsemax")
        labels = tf.convert_to_tensor(labels, name="labels")
        counts = tf.logical_or(sparsemax > 0, tf.is_nan(sparsemax))
        of_result = tf.where(counts, sparsemax * (logits - 0.5 * sparsemax), tf.zeros_like(sparsemax))
        # Impossible classes have infinite logits: 0 times infinity is meant as 0.
        impossible = tf.logical_and(tf.equal(labels, 0), tf.is_inf(logits))
        of_labels = tf.where(impossible, tf.zeros_like(logits), labels * (0.5 * labels - logits))
        return tf.reduce_sum(of_result + of_labels, axis=1)
