"""Cells of tf.contrib.cudnn_rnn that compute the same as cuDNN, on any device."""
from typing import Any, Optional, Tuple

from legacy_towers.compat.tf1.contrib.rnn.block import LSTMBlockCell
from legacy_towers.compat.tf1.contrib.rnn.small_cells import known_width
from legacy_towers.compat.versions import tf


class CudnnCompatibleLSTMCell(LSTMBlockCell):
    """Computes the LSTM of cuDNN, whose forget bias is 0."""

    def __init__(self, num_units: int, reuse: Any = None) -> None:
        super().__init__(
            num_units, forget_bias=0.0, use_peephole=False, reuse=reuse, name="cudnn_compatible_lstm_cell"
        )


class CudnnCompatibleGRUCell(tf.nn.rnn_cell.GRUCell):
    """Computes the GRU of cuDNN, which applies the reset gate after the recurrent matrix multiplication."""

    def __init__(self, num_units: int, reuse: Any = None, kernel_initializer: Any = None) -> None:
        super().__init__(num_units, activation=None, reuse=reuse, kernel_initializer=kernel_initializer)

    def build(self, inputs_shape: Any) -> None:
        """Creates the variables of the gates, and of the input and hidden projections of the candidate."""
        depth, units = known_width(inputs_shape), self._num_units
        kernel = self._kernel_initializer
        self._gate_kernel = self.add_weight("gates/kernel", shape=[depth + units, 2 * units], initializer=kernel)
        self._gate_bias = self.add_weight("gates/bias", shape=[2 * units], initializer=self._bias_or_constant(1.0))
        self._input_kernel = self.add_weight(
            "candidate/input_projection/kernel", shape=[depth, units], initializer=kernel
        )
        self._hidden_kernel = self.add_weight(
            "candidate/hidden_projection/kernel", shape=[units, units], initializer=kernel
        )
        self._input_bias = self.add_weight(
            "candidate/input_projection/bias", shape=[units], initializer=self._bias_or_constant(0.0)
        )
        self._hidden_bias = self.add_weight(
            "candidate/hidden_projection/bias", shape=[units], initializer=self._bias_or_constant(0.0)
        )
        self.built = True

    def call(self, inputs: Any, state: Any) -> Tuple[Any, Any]:
        """Computes one step.

        Args:
          inputs: [batch, depth].
          state: [batch, num_units].

        Returns:
          (output, new state), both [batch, num_units].
        """
        gates = tf.nn.bias_add(tf.matmul(tf.concat([inputs, state], 1), self._gate_kernel), self._gate_bias)
        reset, update = tf.split(tf.sigmoid(gates), 2, axis=1)
        candidate = tf.nn.bias_add(tf.matmul(inputs, self._input_kernel), self._input_bias)
        candidate += reset * tf.nn.bias_add(tf.matmul(state, self._hidden_kernel), self._hidden_bias)
        new = (1 - update) * self._activation(candidate) + update * state
        return new, new

    def _bias_or_constant(self, value: float) -> Optional[Any]:
        if self._bias_initializer is not None:
            return self._bias_initializer
        return tf.constant_initializer(value, dtype=self.dtype or tf.float32)
