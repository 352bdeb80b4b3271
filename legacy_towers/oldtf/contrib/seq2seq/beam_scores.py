"""Scores of beams: log probabilities with penalties for length and for what was never attended to."""
from typing import Any, Optional

from legacy_towers.compat import tf
from legacy_towers.oldtf.contrib.seq2seq.attention_wrapper import AttentionWrapperState


def get_scores(
    log_probs: Any,
    sequence_lengths: Any,
    length_penalty_weight: Any,
    coverage_penalty_weight: Any,
    finished: Any,
    accumulated_attention_probs: Any,
) -> Any:
    """Returns scores [batch, beam, words] (https://arxiv.org/abs/1609.08144, section 7).

    Args:
      log_probs, sequence_lengths: [batch, beam, words]; finished: [batch, beam].
      accumulated_attention_probs: [batch, beam, memory], None where there is no coverage penalty.
    """
    scores = log_probs / tf.cast(length_penalty(sequence_lengths, length_penalty_weight), log_probs.dtype)
    weight = tf.convert_to_tensor(coverage_penalty_weight, name="coverage_penalty_weight")
    if weight.shape.ndims != 0:
        raise ValueError("coverage_penalty_weight should be a scalar, but saw shape: {}".format(weight.shape))
    if tf.get_static_value(weight) == 0.0:
        return scores
    if accumulated_attention_probs is None:
        raise ValueError("accumulated_attention_probs can be None only if coverage penalty is disabled.")
    # What has no attention at all is behind the memory's length.
    seen = tf.where(
        tf.equal(accumulated_attention_probs, 0.0),
        tf.ones_like(accumulated_attention_probs),
        accumulated_attention_probs,
    )
    penalty = tf.reduce_sum(tf.log(tf.minimum(seen, 1.0)), 2) * tf.cast(finished, tf.float32)
    return scores + tf.expand_dims(penalty * weight, 2)


def length_penalty(sequence_lengths: Any, penalty_factor: Any) -> Any:
    """Returns ((5 + length) / 6) to the power of the factor; 1.0 where that is known to be 0."""
    factor = tf.convert_to_tensor(penalty_factor, name="penalty_factor")
    factor.set_shape(())
    static = tf.get_static_value(factor)
    if static is not None and static == 0:
        return 1.0
    return (5.0 + tf.cast(sequence_lengths, tf.float32)) ** factor / (5.0 + 1.0) ** factor


def mask_finished(log_probs: Any, end_token: Any, finished: Any) -> Any:
    """Returns `log_probs` [batch, beam, words]; a beam that has ended can only end again, for nothing."""
    words = tf.shape(log_probs)[2]
    zero, least = tf.constant(0.0, log_probs.dtype), tf.constant(log_probs.dtype.min, log_probs.dtype)
    row = tf.one_hot(end_token, words, dtype=log_probs.dtype, on_value=zero, off_value=least)
    rows = tf.tile(tf.reshape(row, [1, 1, -1]), tf.concat([tf.shape(finished), [1]], 0))
    return tf.where(tf.tile(tf.expand_dims(finished, 2), [1, 1, words]), rows, log_probs)


def get_attention_probs(cell_state: Any, coverage_penalty_weight: Any) -> Optional[Any]:
    """Returns the alignments in a cell's state, their mean where there are several; None without a penalty."""
    if coverage_penalty_weight == 0.0:
        return None
    states = [cell_state] if isinstance(cell_state, AttentionWrapperState) else cell_state
    attentional = []
    if isinstance(states, (tuple, list)):
        attentional = [_mean(state.alignments) for state in states if isinstance(state, AttentionWrapperState)]
    if not attentional:
        raise ValueError("coverage_penalty_weight must be 0.0 if no cell is attentional.")
    return _mean(tuple(attentional))


def _mean(alignments: Any) -> Any:
    if not isinstance(alignments, tuple):
        return alignments
    return alignments[0] if len(alignments) == 1 else tf.reduce_mean(tf.stack(alignments, -1), -1)
