"""Viterbi's algorithm: the best sequence of tags."""
from typing import Any, List, Tuple

import numpy as np

from legacy_towers.compat import tf
from legacy_towers.oldtf.contrib.crf.cells import CrfDecodeBackwardRnnCell, CrfDecodeForwardRnnCell
from legacy_towers.oldtf.contrib.crf.steps import first_step, if_one_step, less_one


def crf_decode(potentials: Any, transition_params: Any, sequence_length: Any) -> Tuple[Any, Any]:
    """Returns (the best tags, int32 [batch, time], 0 behind each length; their scores [batch]).

    Args:
      potentials: unary scores [batch, time, tags]; transition_params: [tags, tags]; sequence_length: int [batch].
    """
    first = first_step(potentials)

    def one() -> Tuple[Any, Any]:
        return tf.expand_dims(tf.argmax(first, axis=1, output_type=tf.int32), 1), tf.reduce_max(first, axis=1)

    def several() -> Tuple[Any, Any]:
        steps = less_one(sequence_length)
        origins, last = tf.nn.dynamic_rnn(
            CrfDecodeForwardRnnCell(transition_params),
            inputs=potentials[:, 1:],
            sequence_length=steps,
            initial_state=first,
            dtype=tf.int32,
        )
        end = tf.expand_dims(tf.argmax(last, axis=1, output_type=tf.int32), -1)
        tags, _ = tf.nn.dynamic_rnn(
            CrfDecodeBackwardRnnCell(tf.dimension_value(potentials.shape[2])),
            inputs=tf.reverse_sequence(origins, steps, seq_dim=1),
            sequence_length=steps,
            initial_state=end,
            dtype=tf.int32,
        )
        tags = tf.concat([end, tf.squeeze(tags, axis=[2])], axis=1)
        return tf.reverse_sequence(tags, sequence_length, seq_dim=1), tf.reduce_max(last, axis=1)

    return if_one_step(potentials, one, several)


def viterbi_decode(score: Any, transition_params: Any) -> Tuple[List[Any], Any]:
    """Returns (the best tags, their score) of one sequence, in NumPy.

    Args:
      score: unary scores [time, tags]; transition_params: [tags, tags].
    """
    best = np.zeros_like(score)
    origins = np.zeros_like(score, dtype=np.int32)
    best[0] = score[0]
    for step in range(1, score.shape[0]):
        ways = np.expand_dims(best[step - 1], 1) + transition_params
        best[step] = score[step] + np.max(ways, 0)
        origins[step] = np.argmax(ways, 0)
    tags = [np.argmax(best[-1])]
    for origin in reversed(origins[1:]):
        tags.append(origin[tags[-1]])
    return tags[::-1], np.max(best[-1])
