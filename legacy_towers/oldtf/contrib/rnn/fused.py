"""Fused cells of tf.contrib.rnn: one call runs all steps of time."""
import abc
from typing import Any, Tuple

from legacy_towers.compat import tf


class FusedRNNCell(abc.ABC):
    """A recurrent network, called with all of its steps."""

    @abc.abstractmethod
    def __call__(
        self, inputs: Any, initial_state: Any = None, dtype: Any = None, sequence_length: Any = None, scope: Any = None
    ) -> Tuple[Any, Any]:
        """Runs all steps on `inputs`, [time, batch, n] or a list; returns (outputs in the same form, last state)."""


class FusedRNNCellAdaptor(FusedRNNCell):
    """A cell in the form of a fused one, unrolled by tf.nn.static_rnn or dynamic_rnn."""

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
    """A fused cell that sees the steps from the last to the first; its outputs are in the order of the inputs."""

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
