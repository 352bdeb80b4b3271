"""sequence_loss of tf.contrib.seq2seq."""
from typing import Any, Callable, Optional

from legacy_towers.compat.versions import tf


def sequence_loss(
    logits: Any,
    targets: Any,
    weights: Any,
    average_across_timesteps: bool = True,
    average_across_batch: bool = True,
    sum_over_timesteps: bool = False,
    sum_over_batch: bool = False,
    softmax_loss_function: Optional[Callable[..., Any]] = None,
    name: Optional[str] = None,
) -> Any:
    """Returns the weighted cross-entropy loss of a batch of sequences.

    Args:
      logits: [batch, time, classes].
      targets: int [batch, time].
      weights: float [batch, time], usually a mask.
      average_across_timesteps: sums over time and divides by the sum of the weights.
      average_across_batch: the same over the batch.
      sum_over_timesteps: sums over time and divides by the number of nonzero weights.
      sum_over_batch: the same over the batch.
      softmax_loss_function: called with labels= [batch * time] and logits= [batch * time, classes], instead of
        tf.nn.sparse_softmax_cross_entropy_with_logits.

    Returns:
      A scalar where both dimensions are summed, a vector where one is, [batch, time] where none is.

    Raises:
      ValueError: a tensor has the wrong rank, or both reductions of one dimension are true.
    """
    for what, tensor, rank in (("Logits", logits, 3), ("Targets", targets, 2), ("Weights", weights, 2)):
        if tensor.shape.ndims != rank:
            raise ValueError(
                "{} must be a [batch_size x sequence_length{}] tensor".format(what, " x logits" if rank == 3 else "")
            )
    if average_across_timesteps and sum_over_timesteps:
        raise ValueError("average_across_timesteps and sum_over_timesteps cannot be set to True at same time.")
    if average_across_batch and sum_over_batch:
        raise ValueError("average_across_batch and sum_over_batch cannot be set to True at same time.")
    with tf.name_scope(name, "sequence_loss", [logits, targets, weights]):
        flat_logits = tf.reshape(logits, [-1, tf.shape(logits)[2]])
        labels = tf.reshape(targets, [-1])
        cross_entropy = softmax_loss_function or tf.nn.sparse_softmax_cross_entropy_with_logits
        losses = cross_entropy(labels=labels, logits=flat_logits) * tf.reshape(weights, [-1])
        losses = tf.reshape(losses, tf.shape(logits)[0:2])
        if average_across_timesteps and average_across_batch:
            return tf.div_no_nan(tf.reduce_sum(losses), tf.reduce_sum(weights))
        if sum_over_timesteps and sum_over_batch:
            return tf.div_no_nan(tf.reduce_sum(losses), tf.cast(tf.count_nonzero(weights), losses.dtype))
        if average_across_timesteps or average_across_batch:
            axis = 0 if average_across_batch else 1
            return tf.div_no_nan(tf.reduce_sum(losses, axis), tf.reduce_sum(weights, axis))
        if sum_over_timesteps or sum_over_batch:
            axis = 0 if sum_over_batch else 1
            return tf.div_no_nan(tf.reduce_sum(losses, axis), tf.cast(tf.count_nonzero(weights, axis), losses.dtype))
        return losses
