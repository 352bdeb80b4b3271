"""The Viterbi algorithm: the tag sequence with the highest score."""
from typing import Any, List, Tuple

import numpy as np

from legacy_towers.compat.tf1.contrib.crf.cells import CrfDecodeBackwardRnnCell, CrfDecodeForwardRnnCell
from legacy_towers.compat.tf1.contrib.crf.steps import first_step, if_one_step, less_one
from legacy_towers.compat.versions import tf


def crf_decode(potentials: Any, transition_params: Any, sequence_length: Any) -> Tuple[Any, Any]:
    """Decodes the tag sequences with the highest scores.

    Args:
      potentials: unary scores, float32 [batch, time, tags].
      transition_params: transition scores, [from tag, to tag].
      sequence_length: int [batch].

    Returns:
      (tags int32 [batch, time], 0 after the end of a sequence; scores [batch]).
    """
    first = first_step(potentials)

    def one() -> Tuple[Any, Any]:
        return tf.expand_dims(tf.argmax(first, axis=1, output_type=tf.int32), 1), tf.reduce_max(first, axis=1)

    def several() -> Tuple[Any, Any]:
        steps = less_one(sequence_length)
        backpointers, last = tf.nn.dynamic_rnn(
            CrfDecodeForwardRnnCell(transition_params),
            inputs=potentials[:, 1:],
            sequence_length=steps,
            initial_state=first,
            dtype=tf.int32,
        )
        end = tf.expand_dims(tf.argmax(last, axis=1, output_type=tf.int32), -1)
        tags, _ = tf.nn.dynamic_rnn(
            CrfDecodeBackwardRnnCell(tf.dimension_value(potentials.shape[2])),
            inputs=tf.reverse_sequence(backpointers, steps, seq_dim=1),
            sequence_length=steps,
            initial_state=end,
            dtype=tf.int32,
        )
        tags = tf.concat([end, tf.squeeze(tags, axis=[2])], axis=1)
        return tf.reverse_sequence(tags, sequence_length, seq_dim=1), tf.reduce_max(last, axis=1)

    return if_one_step(potentials, one, several)


def viterbi_decode(score: Any, transition_params: Any) -> Tuple[List[Any], Any]:
    """Decodes the tag sequence with the highest score, in NumPy.

    Args:
      score: unary scores, [time, tags].
      transition_params: transition scores, [from tag, to tag].

    Returns:
      (list of tags, score).
    """
    best = np.zeros_like(score)
    backpointers = np.zeros_like(score, dtype=np.int32)
    best[0] = score[0]
    for step in range(1, score.shape[0]):
        scores = np.expand_dims(best[step - 1], 1) + transition_params
        best[step] = score[step] + np.max(scores, 0)
        backpointers[step] = np.argmax(scores, 0)
    tags = [np.argmax(best[-1])]
    for pointers in reversed(backpointers[1:]):
        tags.append(pointers[tags[-1]])
    return tags[::-1], np.max(best[-1])
