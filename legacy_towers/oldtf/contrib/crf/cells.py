"""The recurrences of a conditional random field, as cells: one step is one more word of the sentence."""
from typing import Any, Tuple

from legacy_towers.compat import tf


class _TransitionCell(tf.nn.rnn_cell.RNNCell):
    """A cell with a score [tags] for its state and a matrix of transitions [from tag, to tag], without variables."""

    def __init__(self, transition_params: Any) -> None:
        # Not a layer: the transitions are the caller's.
        self._transition_params = tf.expand_dims(transition_params, 0)
        self._num_tags = tf.dimension_value(transition_params.shape[0])

    @property
    def state_size(self) -> int:
        return self._num_tags

    @property
    def output_size(self) -> int:
        return self._num_tags

    def _through(self, state: Any) -> Any:
        """Returns the score of each way [batch, from tag, to tag]."""
        return tf.expand_dims(state, 2) + self._transition_params


class CrfForwardRnnCell(_TransitionCell):
    """The forward algorithm: sums over all ways to each tag, as logarithms."""

    def __call__(self, inputs: Any, state: Any, scope: Any = None) -> Tuple[Any, Any]:
        new = inputs + tf.reduce_logsumexp(self._through(state), [1])
        return new, new


class CrfDecodeForwardRnnCell(_TransitionCell):
    """The forward half of Viterbi's algorithm: the best way to each tag, and where it came from."""

    def __call__(self, inputs: Any, state: Any, scope: Any = None) -> Tuple[Any, Any]:
        ways = self._through(state)
        return tf.argmax(ways, 1, output_type=tf.int32), inputs + tf.reduce_max(ways, [1])


class CrfDecodeBackwardRnnCell(tf.nn.rnn_cell.RNNCell):
    """The backward half of Viterbi's algorithm: follows where the best way came from. Its state is a tag [batch, 1]."""

    def __init__(self, num_tags: int) -> None:
        self._num_tags = num_tags

    @property
    def state_size(self) -> int:
        return 1

    @property
    def output_size(self) -> int:
        return 1

    def __call__(self, inputs: Any, state: Any, scope: Any = None) -> Tuple[Any, Any]:
        where = tf.stack([tf.range(tf.shape(inputs)[0]), tf.squeeze(state, axis=[1])], axis=1)
        tags = tf.expand_dims(tf.gather_nd(inputs, where), -1)
        return tags, tags
