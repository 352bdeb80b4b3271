"""Scores of beams: log probabilities with length penalty and coverage penalty."""
from typing import Any, Optional

from legacy_towers.compat.tf1.contrib.seq2seq.attention_wrapper import AttentionWrapperState
from legacy_towers.compat.versions import tf


def get_scores(
    log_probs: Any,
    sequence_lengths: Any,
    length_penalty_weight: Any,
    coverage_penalty_weight: Any,
    finished: Any,
    accumulated_attention_probs: Any,
) -> Any:
    """Returns scores [batch, beam, vocab_size] (https://arxiv.org/abs/1609.08144, section 7).

    Args:
      log_probs: [batch, beam, vocab_size].
      sequence_lengths: [batch, beam, vocab_size].
      finished: bool [batch, beam].
      accumulated_attention_probs: [batch, beam, memory length]; None without coverage penalty.

    Raises:
      ValueError: `coverage_penalty_weight` is not a scalar, or not 0 without `accumulated_attention_probs`.
    """
    scores = log_probs / tf.cast(length_penalty(sequence_lengths, length_penalty_weight), log_probs.dtype)
    weight = tf.convert_to_tensor(coverage_penalty_weight, name="coverage_penalty_weight")
    if weight.shape.ndims != 0:
        raise ValueError("coverage_penalty_weight should be a scalar, but saw shape: {}".format(weight.shape))
    if tf.get_static_value(weight) == 0.0:
        return scores
    if accumulated_attention_probs is None:
        raise ValueError("accumulated_attention_probs can be None only if coverage penalty is disabled.")
    # Steps of the memory without any attention are padding after the sequence's end.
    attention = tf.where(
        tf.equal(accumulated_attention_probs, 0.0),
        tf.ones_like(accumulated_attention_probs),
        accumulated_attention_probs,
    )
    penalty = tf.reduce_sum(tf.log(tf.minimum(attention, 1.0)), 2) * tf.cast(finished, tf.float32)
    return scores + tf.expand_dims(penalty * weight, 2)


def length_penalty(sequence_lengths: Any, penalty_factor: Any) -> Any:
    """Returns ((5 + length) / 6) ** factor; the float 1.0 if the factor is statically known to be 0."""
    factor = tf.convert_to_tensor(penalty_factor, name="penalty_factor")
    factor.set_shape(())
    static = tf.get_static_value(factor)
    if static is not None and static == 0:
        return 1.0
    return (5.0 + tf.cast(sequence_lengths, tf.float32)) ** factor / (5.0 + 1.0) ** factor


def mask_finished(log_probs: Any, end_token: Any, finished: Any) -> Any:
    """Returns `log_probs` [batch, beam, vocab_size], in which finished beams give the end token probability 1."""
    vocab_size = tf.shape(log_probs)[2]
    zero, minimum = tf.constant(0.0, log_probs.dtype), tf.constant(log_probs.dtype.min, log_probs.dtype)
    row = tf.one_hot(end_token, vocab_size, dtype=log_probs.dtype, on_value=zero, off_value=minimum)
    rows = tf.tile(tf.reshape(row, [1, 1, -1]), tf.concat([tf.shape(finished), [1]], 0))
    return tf.where(tf.tile(tf.expand_dims(finished, 2), [1, 1, vocab_size]), rows, log_probs)


def get_attention_probs(cell_state: Any, coverage_penalty_weight: Any) -> Optional[Any]:
    """Returns the mean of the alignments in a cell's state; None if `coverage_penalty_weight` is 0.

    Raises:
      ValueError: no state is an AttentionWrapperState.
    """
    if coverage_penalty_weight == 0.0:
        return None
    states = [cell_state] if isinstance(cell_state, AttentionWrapperState) else cell_state
    alignments = []
    if isinstance(states, (tuple, list)):
        alignments = [_mean(state.alignments) for state in states if isinstance(state, AttentionWrapperState)]
    if not alignments:
        raise ValueError("coverage_penalty_weight must be 0.0 if no cell is attentional.")
    return _mean(tuple(alignments))


def _mean(alignments: Any) -> Any:
    if not isinstance(alignments, tuple):
        return alignments
    return alignments[0] if len(alignments) == 1 else tf.reduce_mean(tf.stack(alignments, -1), -1)
