"""FusedRNNCell and its subclasses of tf.contrib.rnn: one call runs all time steps."""
import abc
from typing import Any, Tuple

from legacy_towers.compat.versions import tf


class FusedRNNCell(abc.ABC):
    """Abstract recurrent network that is called with all time steps."""

    @abc.abstractmethod
    def __call__(
        self, inputs: Any, initial_state: Any = None, dtype: Any = None, sequence_length: Any = None, scope: Any = None
    ) -> Tuple[Any, Any]:
        """Runs all time steps.

        Args:
          inputs: [time, batch, n], or a list of [batch, n].
          initial_state: the state before the first step; zeros of `dtype` by default.
          sequence_length: int [batch]; None: all sequences have `time` steps.

        Returns:
          (outputs in the form of `inputs`, final state).
        """


class FusedRNNCellAdaptor(FusedRNNCell):
    """Adaptor of an RNNCell to FusedRNNCell, unrolled by tf.nn.static_rnn or tf.nn.dynamic_rnn."""

    def __init__(self, cell: Any, use_dynamic_rnn: bool = False) -> None:
        self._cell = cell
        self._use_dynamic_rnn = use_dynamic_rnn

    def __call__(
        self, inputs: Any, initial_state: Any = None, dtype: Any = None, sequence_length: Any = None, scope: Any = None
    ) -> Tuple[Any, Any]:
        keywords = {
            "sequence_length": sequence_length,
            "initial_state": initial_state,
            "dtype": dtype,
            "scope": scope,
        }
        is_list = isinstance(inputs, list)
        if self._use_dynamic_rnn:
            steps = tf.stack(inputs) if is_list else inputs
            outputs, state = tf.nn.dynamic_rnn(self._cell, steps, time_major=True, **keywords)
            return tf.unstack(outputs) if is_list else outputs, state
        outputs, state = tf.nn.static_rnn(self._cell, inputs if is_list else tf.unstack(inputs), **keywords)
        return outputs if is_list else tf.stack(outputs), state


class TimeReversedFusedRNN(FusedRNNCell):
    """Runs a fused cell on time-reversed inputs; the outputs are in the order of the inputs."""

    def __init__(self, cell: Any) -> None:
        self._cell = cell

    def __call__(
        self, inputs: Any, initial_state: Any = None, dtype: Any = None, sequence_length: Any = None, scope: Any = None
    ) -> Tuple[Any, Any]:
        outputs, state = self._cell(
            _reversed(inputs, sequence_length),
            initial_state=initial_state,
            dtype=dtype,
            sequence_length=sequence_length,
            scope=scope,
        )
        return _reversed(outputs, sequence_length), state


def _reversed(steps: Any, lengths: Any) -> Any:
    if isinstance(steps, list):
        return steps[::-1]
    return tf.reverse(steps, [0]) if lengths is None else tf.reverse_sequence(steps, lengths, 0, 1)
