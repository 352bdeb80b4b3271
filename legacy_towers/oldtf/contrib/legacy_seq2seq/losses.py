"""Losses of tf.contrib.legacy_seq2seq, and models for several lengths of sequences."""
from typing import Any, Callable, List, Optional, Sequence, Tuple

from legacy_towers.compat import tf

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
    """Returns the weighted cross-entropy of each sequence [batch], of one list entry for each step.

    Args:
      logits: [batch, symbols] each; targets: int32 [batch] each; weights: float32 [batch] each.
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
        # The small number is for sequences without a weight.
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
    """Returns the sum of `sequence_loss_by_example` over the batch, or its mean, a scalar."""
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
    """Builds one model for each bucket (source length, target length), all with the same variables.

    Returns:
      (outputs of each bucket, loss of each bucket).
    """
    for what, given, needed in (
        ("encoder_inputs", encoder_inputs, buckets[-1][0]),
        ("targets", targets, buckets[-1][1]),
        ("weights", weights, buckets[-1][1]),
    ):
        if len(given) < needed:
            raise ValueError(
                "Length of {} ({}) must be at least that of last bucket ({}).".format(what, len(given), needed)
            )
    loss_of = sequence_loss_by_example if per_example_loss else sequence_loss
    outputs, losses = [], []
    with tf.name_scope(name, "model_with_buckets", encoder_inputs + decoder_inputs + targets + weights):
        for number, (source, target) in enumerate(buckets):
            with tf.variable_scope(tf.get_variable_scope(), reuse=True if number > 0 else None):
                made, _ = seq2seq(encoder_inputs[:source], decoder_inputs[:target])
                outputs.append(made)
                losses.append(
                    loss_of(made, targets[:target], weights[:target], softmax_loss_function=softmax_loss_function)
                )
    return outputs, losses
