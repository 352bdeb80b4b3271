"""Sequence losses and model_with_buckets of tf.contrib.legacy_seq2seq."""
from typing import Any, Callable, List, Optional, Sequence, Tuple

from legacy_towers.compat.versions import tf

# Called with labels= and logits=; returns the loss of each example.
LossFunction = Callable[..., Any]


def sequence_loss_by_example(
    logits: List[Any],
    targets: List[Any],
    weights: List[Any],
    average_across_timesteps: bool = True,
    softmax_loss_function: Optional[LossFunction] = None,
    name: Optional[str] = None,
) -> Any:
    """Returns the weighted cross-entropy loss of each sequence, [batch].

    Args:
      logits: a list of [batch, symbols], one for each time step.
      targets: a list of int32 [batch].
      weights: a list of float32 [batch].
      average_across_timesteps: whether the sum over time is divided by the sum of the weights.
      softmax_loss_function: called with labels= and logits=, instead of
        tf.nn.sparse_softmax_cross_entropy_with_logits.

    Raises:
      ValueError: the lists differ in length.
    """
    if not len(targets) == len(weights) == len(logits):
        raise ValueError(
            "Lengths of logits, weights, and targets must be the same {}, {}, {}.".format(
                len(logits), len(weights), len(targets)
            )
        )
    with tf.name_scope(name, "sequence_loss_by_example", logits + targets + weights):
        steps = []
        for logit, target, weight in zip(logits, targets, weights):
            if softmax_loss_function is not None:
                loss = softmax_loss_function(labels=target, logits=logit)
            else:
                labels = tf.reshape(target, [-1])
                loss = tf.nn.sparse_softmax_cross_entropy_with_logits(labels=labels, logits=logit)
            steps.append(loss * weight)
        total = tf.add_n(steps)
        # 1e-12 prevents a division by zero for sequences whose weights are all 0.
        return total / (tf.add_n(weights) + 1e-12) if average_across_timesteps else total


def sequence_loss(
    logits: List[Any],
    targets: List[Any],
    weights: List[Any],
    average_across_timesteps: bool = True,
    average_across_batch: bool = True,
    softmax_loss_function: Optional[LossFunction] = None,
    name: Optional[str] = None,
) -> Any:
    """Returns the mean of `sequence_loss_by_example` over the batch (or its sum), a scalar."""
    with tf.name_scope(name, "sequence_loss", logits + targets + weights):
        total = tf.reduce_sum(
            sequence_loss_by_example(
                logits,
                targets,
                weights,
                average_across_timesteps=average_across_timesteps,
                softmax_loss_function=softmax_loss_function,
            )
        )
        return total / tf.cast(tf.shape(targets[0])[0], total.dtype) if average_across_batch else total


def model_with_buckets(
    encoder_inputs: List[Any],
    decoder_inputs: List[Any],
    targets: List[Any],
    weights: List[Any],
    buckets: Sequence[Tuple[int, int]],
    seq2seq: Callable[[List[Any], List[Any]], Tuple[List[Any], Any]],
    softmax_loss_function: Optional[LossFunction] = None,
    per_example_loss: bool = False,
    name: Optional[str] = None,
) -> Tuple[List[List[Any]], List[Any]]:
    """Builds a model for each bucket. The models share their variables.

    Args:
      encoder_inputs: a list of tensors, as long as the last bucket's source length at least.
      decoder_inputs: a list of tensors.
      targets: a list of int32 [batch], as long as the last bucket's target length at least.
      weights: a list of float32 [batch].
      buckets: (source length, target length) pairs, increasing.
      seq2seq: (encoder inputs, decoder inputs) -> (outputs, state).
      per_example_loss: whether the losses are [batch] instead of scalars.

    Returns:
      (list of the outputs of each bucket, list of the loss of each bucket).

    Raises:
      ValueError: a list is shorter than the last bucket.
    """
    for name_of_list, tensors, length in (
        ("encoder_inputs", encoder_inputs, buckets[-1][0]),
        ("targets", targets, buckets[-1][1]),
        ("weights", weights, buckets[-1][1]),
    ):
        if len(tensors) < length:
            raise ValueError(
                "Length of {} ({}) must be at least that of last bucket ({}).".format(
                    name_of_list, len(tensors), length
                )
            )
    loss_function = sequence_loss_by_example if per_example_loss else sequence_loss
    outputs, losses = [], []
    with tf.name_scope(name, "model_with_buckets", encoder_inputs + decoder_inputs + targets + weights):
        for number, (source, target) in enumerate(buckets):
            with tf.variable_scope(tf.get_variable_scope(), reuse=True if number > 0 else None):
                logits, _ = seq2seq(encoder_inputs[:source], decoder_inputs[:target])
                outputs.append(logits)
                loss = loss_function(
                    logits, targets[:target], weights[:target], softmax_loss_function=softmax_loss_function
                )
                losses.append(loss)
    return outputs, losses
