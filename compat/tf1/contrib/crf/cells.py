"""The recurrences of a linear-chain conditional random field, as RNN cells: a step is a position of the sequence."""
from typing import Any, Tuple

from legacy_towers.compat.versions import tf


class _TransitionCell(tf.nn.rnn_cell.RNNCell):
    """A cell without variables, with state [batch, tags] (scores) and transition scores [from tag, to tag]."""

    def __init__(self, transition_params: Any) -> None:
        # Does not call Layer.__init__: the cell has no variables, the caller owns the transitions.
        self._transition_params = tf.expand_dims(transition_params, 0)
        self._num_tags = tf.dimension_value(transition_params.shape[0])

    @property
    def state_size(self) -> int:
        return self._num_tags

    @property
    def output_size(self) -> int:
        return self._num_tags

    def _transition_scores(self, state: Any) -> Any:
        """Returns the score of each transition, [batch, from tag, to tag]."""
        return tf.expand_dims(state, 2) + self._transition_params


class CrfForwardRnnCell(_TransitionCell):
    """Computes a step of the forward algorithm: the log-sum-exp of the scores of all paths to each tag."""

    def __call__(self, inputs: Any, state: Any, scope: Any = None) -> Tuple[Any, Any]:
        new = inputs + tf.reduce_logsumexp(self._transition_scores(state), [1])
        return new, new


class CrfDecodeForwardRnnCell(_TransitionCell):
    """Computes a forward step of Viterbi: outputs backpointers; the state is the best score of each tag."""

    def __call__(self, inputs: Any, state: Any, scope: Any = None) -> Tuple[Any, Any]:
        scores = self._transition_scores(state)
        return tf.argmax(scores, 1, output_type=tf.int32), inputs + tf.reduce_max(scores, [1])


class CrfDecodeBackwardRnnCell(tf.nn.rnn_cell.RNNCell):
    """Computes a backward step of Viterbi: follows the backpointers; the state is a tag, int32 [batch, 1]."""

    def __init__(self, num_tags: int) -> None:
        self._num_tags = num_tags

    @property
    def state_size(self) -> int:
        return 1

    @property
    def output_size(self) -> int:
        return 1

    def __call__(self, inputs: Any, state: Any, scope: Any = None) -> Tuple[Any, Any]:
        indices = tf.stack([tf.range(tf.shape(inputs)[0]), tf.squeeze(state, axis=[1])], axis=1)
        tags = tf.expand_dims(tf.gather_nd(inputs, indices), -1)
        return tags, tags
