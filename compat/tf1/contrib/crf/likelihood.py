"""Scores and likelihoods of tag sequences.

    score(tags) = sum of unary[t, tag_t] + sum of transitions[tag_t, tag_t+1]
    log likelihood = score(tags) - log of the sum of exp(score) over all sequences of tags
"""
from typing import Any, Tuple

from legacy_towers.compat.tf1.contrib.crf.cells import CrfForwardRnnCell
from legacy_towers.compat.tf1.contrib.crf.steps import first_step, if_one_step, less_one
from legacy_towers.compat.versions import tf


def crf_log_likelihood(
    inputs: Any, tag_indices: Any, sequence_lengths: Any, transition_params: Any = None
) -> Tuple[Any, Any]:
    """Returns the log likelihoods of tag sequences, and the transition scores.

    Args:
      inputs: unary scores, float32 [batch, time, tags].
      tag_indices: int [batch, time].
      sequence_lengths: int [batch].
      transition_params: transition scores, [from tag, to tag]; None creates the variable "transitions".

    Returns:
      (log likelihoods [batch], transition scores [tags, tags]).
    """
    tags = tf.dimension_value(inputs.shape[2])
    if transition_params is None:
        transition_params = tf.get_variable("transitions", [tags, tags])
    score = crf_sequence_score(inputs, tag_indices, sequence_lengths, transition_params)
    return score - crf_log_norm(inputs, sequence_lengths, transition_params), transition_params


def crf_sequence_score(inputs: Any, tag_indices: Any, sequence_lengths: Any, transition_params: Any) -> Any:
    """Returns the scores of tag sequences, [batch]; 0 for empty ones. See `crf_log_likelihood` for the arguments."""

    def one() -> Any:
        rows = tf.range(tf.shape(inputs, out_type=tag_indices.dtype)[0], dtype=tag_indices.dtype)
        indices = tf.concat([tf.reshape(rows, [-1, 1]), tag_indices], axis=1)
        return _zero_if_empty(tf.gather_nd(tf.squeeze(inputs, [1]), indices), sequence_lengths)

    def several() -> Any:
        unary = crf_unary_score(tag_indices, sequence_lengths, inputs)
        return unary + crf_binary_score(tag_indices, sequence_lengths, transition_params)

    return if_one_step(inputs, one, several)


def crf_multitag_sequence_score(inputs: Any, tag_bitmap: Any, sequence_lengths: Any, transition_params: Any) -> Any:
    """Returns log sum exp(score) [batch] over all sequences that `tag_bitmap`, bool [batch, time, tags], allows."""
    allowed = tf.where(tag_bitmap, inputs, tf.fill(tf.shape(inputs), float("-inf")))
    return if_one_step(
        inputs,
        lambda: tf.reduce_logsumexp(allowed, axis=[1, 2]),
        lambda: crf_log_norm(allowed, sequence_lengths, transition_params),
    )


def crf_log_norm(inputs: Any, sequence_lengths: Any, transition_params: Any) -> Any:
    """Returns log sum exp(score) [batch] over all tag sequences; 0 for an empty sequence."""
    first = first_step(inputs)

    def several() -> Any:
        _, last = tf.nn.dynamic_rnn(
            cell=CrfForwardRnnCell(transition_params),
            inputs=inputs[:, 1:],
            sequence_length=less_one(sequence_lengths),
            initial_state=first,
            dtype=tf.float32,
        )
        return _zero_if_empty(tf.reduce_logsumexp(last, [1]), sequence_lengths)

    return if_one_step(inputs, lambda: _zero_if_empty(tf.reduce_logsumexp(first, [1]), sequence_lengths), several)


def crf_unary_score(tag_indices: Any, sequence_lengths: Any, inputs: Any) -> Any:
    """Returns the sums of the unary scores of tag sequences, [batch]."""
    batch, steps, tags = tf.unstack(tf.shape(inputs, out_type=tag_indices.dtype))
    start = tf.expand_dims(tf.range(batch) * steps * tags, 1) + tf.expand_dims(tf.range(steps) * tags, 0)
    scores = tf.gather(tf.reshape(inputs, [-1]), tf.reshape(start + tag_indices, [-1]))
    scores = tf.reshape(scores, tf.stack([batch, steps]))
    mask = tf.sequence_mask(sequence_lengths, maxlen=tf.shape(tag_indices)[1], dtype=tf.float32)
    return tf.reduce_sum(scores * mask, 1)


def crf_binary_score(tag_indices: Any, sequence_lengths: Any, transition_params: Any) -> Any:
    """Returns the sums of the transition scores of tag sequences, [batch]."""
    tags = tf.dimension_value(transition_params.shape[0])
    scores = tf.gather(tf.reshape(transition_params, [-1]), tag_indices[:, :-1] * tags + tag_indices[:, 1:])
    mask = tf.sequence_mask(sequence_lengths, maxlen=tf.shape(tag_indices)[1], dtype=tf.float32)
    return tf.reduce_sum(scores * mask[:, 1:], 1)


def _zero_if_empty(values: Any, sequence_lengths: Any) -> Any:
    return tf.where(tf.less_equal(sequence_lengths, 0), tf.zeros_like(values), values)
