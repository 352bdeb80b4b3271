"""LSTM cells of tf.contrib.rnn with layer normalization or weight normalization."""
from typing import Any, Callable, Optional, Tuple

from legacy_towers.compat.tf1.contrib.rnn.parts import (
    LSTMStateTuple,
    SizedCell,
    clipped,
    layer_norm,
    lstm_sizes,
    lstm_step,
    peepholes,
)
from legacy_towers.compat.tf1.core.linear import linear, width
from legacy_towers.compat.versions import tf

Activation = Callable[[Any], Any]


class LayerNormBasicLSTMCell(SizedCell):
    """LSTM cell with layer normalization and recurrent dropout.

    Layer normalization: https://arxiv.org/abs/1607.06450. Dropout is applied to the new input:
    https://arxiv.org/abs/1603.05118.
    """

    def __init__(
        self,
        num_units: int,
        forget_bias: float = 1.0,
        input_size: Any = None,
        activation: Activation = tf.tanh,
        layer_norm: bool = True,
        norm_gain: float = 1.0,
        norm_shift: float = 0.0,
        dropout_keep_prob: Any = 1.0,
        dropout_prob_seed: Optional[int] = None,
        reuse: Any = None,
    ) -> None:
        super().__init__(_reuse=reuse)
        if input_size is not None:
            tf.logging.warn("%s: The input_size parameter is deprecated.", self)
        self._num_units = num_units
        self._activation = activation
        self._forget_bias = forget_bias
        self._keep_prob = dropout_keep_prob
        self._seed = dropout_prob_seed
        self._layer_norm = layer_norm
        self._norm_gain = norm_gain
        self._norm_shift = norm_shift
        self._state_size, self._output_size = lstm_sizes(num_units, None)

    def call(self, inputs: Any, state: Any) -> Tuple[Any, Any]:
        """Runs one step on `inputs` [batch, n]."""
        memory, output = state
        gate_inputs = self._linear(tf.concat([inputs, output], 1))
        i, j, f, o = tf.split(gate_inputs, 4, axis=1)
        if self._layer_norm:
            i, j = self._norm(i, "input", gate_inputs.dtype), self._norm(j, "transform", gate_inputs.dtype)
            f, o = self._norm(f, "forget", gate_inputs.dtype), self._norm(o, "output", gate_inputs.dtype)
        new_input = self._activation(j)
        if not isinstance(self._keep_prob, float) or self._keep_prob < 1:
            new_input = tf.nn.dropout(new_input, self._keep_prob, seed=self._seed)
        new = memory * tf.sigmoid(f + self._forget_bias) + tf.sigmoid(i) * new_input
        if self._layer_norm:
            new = self._norm(new, "state", gate_inputs.dtype)
        output = self._activation(new) * tf.sigmoid(o)
        return output, LSTMStateTuple(new, output)

    def _norm(self, x: Any, scope: str, dtype: Any = tf.float32) -> Any:
        return layer_norm(x, scope, self._norm_gain, self._norm_shift, dtype)

    def _linear(self, x: Any) -> Any:
        kernel = tf.get_variable("kernel", [width(x), 4 * self._num_units], dtype=x.dtype)
        if self._layer_norm:
            return tf.matmul(x, kernel)
        # As in TensorFlow 1.15, the initializer is the scope's; other cells initialize the bias with zeros.
        return tf.nn.bias_add(tf.matmul(x, kernel), tf.get_variable("bias", [4 * self._num_units], dtype=x.dtype))


class LayerNormLSTMCell(SizedCell):
    """LSTMCell with layer normalization of the gates and the cell state (https://arxiv.org/abs/1607.06450)."""

    def __init__(
        self,
        num_units: int,
        use_peepholes: bool = False,
        cell_clip: Optional[float] = None,
        initializer: Any = None,
        num_proj: Optional[int] = None,
        proj_clip: Optional[float] = None,
        forget_bias: float = 1.0,
        activation: Optional[Activation] = None,
        layer_norm: bool = False,
        norm_gain: float = 1.0,
        norm_shift: float = 0.0,
        reuse: Any = None,
    ) -> None:
        super().__init__(_reuse=reuse)
        self._num_units = num_units
        self._use_peepholes = use_peepholes
        self._cell_clip = cell_clip
        self._initializer = initializer
        self._num_proj = num_proj
        self._proj_clip = proj_clip
        self._forget_bias = forget_bias
        self._activation = activation or tf.tanh
        self._layer_norm = layer_norm
        self._norm = (norm_gain, norm_shift)
        self._state_size, self._output_size = lstm_sizes(num_units, num_proj)

    def call(self, inputs: Any, state: Any) -> Tuple[Any, Any]:
        """Runs one step on `inputs` [batch, n]."""
        memory, output = state
        units = self._num_units
        with tf.variable_scope(tf.get_variable_scope(), initializer=self._initializer):
            columns = width(inputs) + width(output)
            kernel = tf.get_variable("kernel", [columns, 4 * units], dtype=inputs.dtype)
            # Created even where it is not used, with layer normalization: checkpoints of TensorFlow 1.15 have it.
            bias = tf.get_variable("bias", [4 * units], dtype=inputs.dtype, initializer=tf.zeros_initializer())
            gate_inputs = tf.matmul(tf.concat([inputs, output], 1), kernel)
            gates = tf.split(gate_inputs if self._layer_norm else tf.nn.bias_add(gate_inputs, bias), 4, axis=1)
            memory_norm = None
            if self._layer_norm:
                names = ("input", "transform", "forget", "output")
                gates = [layer_norm(gate, name, *self._norm) for gate, name in zip(gates, names)]

                def memory_norm(new: Any) -> Any:
                    return layer_norm(new, "state", *self._norm)

            peephole_weights = peepholes(units, inputs.dtype) if self._use_peepholes else None
            new, output = lstm_step(
                gates, memory, self._forget_bias, self._activation, peephole_weights, self._cell_clip, memory_norm
            )
            if self._num_proj is not None:
                with tf.variable_scope("projection"):
                    output = clipped(linear(output, self._num_proj, False), self._proj_clip)
        return output, LSTMStateTuple(new, output)


class WeightNormLSTMCell(SizedCell):
    """LSTMCell with weight normalization (https://arxiv.org/abs/1602.07868)."""

    def __init__(
        self,
        num_units: int,
        norm: bool = True,
        use_peepholes: bool = False,
        cell_clip: Optional[float] = None,
        initializer: Any = None,
        num_proj: Optional[int] = None,
        proj_clip: Optional[float] = None,
        forget_bias: float = 1,
        activation: Optional[Activation] = None,
        reuse: Any = None,
    ) -> None:
        super().__init__(_reuse=reuse)
        self._scope = "wn_lstm_cell"
        self._num_units = num_units
        self._norm = norm
        self._initializer = initializer
        self._use_peepholes = use_peepholes
        self._cell_clip = cell_clip
        self._num_proj = num_proj
        self._proj_clip = proj_clip
        self._activation = activation or tf.tanh
        self._forget_bias = forget_bias
        self._state_size, self._output_size = lstm_sizes(num_units, num_proj)

    def call(self, inputs: Any, state: Any) -> Tuple[Any, Any]:
        """Runs one step on `inputs` [batch, n]."""
        memory, output = state
        with tf.variable_scope(self._scope, initializer=self._initializer):
            gate_inputs = self._linear([inputs, output], 4 * self._num_units)
            bias = tf.get_variable(
                "bias", [4 * self._num_units], dtype=inputs.dtype, initializer=tf.zeros_initializer()
            )
            peephole_weights = peepholes(self._num_units, inputs.dtype) if self._use_peepholes else None
            gates = tf.split(tf.nn.bias_add(gate_inputs, bias), 4, axis=1)
            new, output = lstm_step(
                gates, memory, self._forget_bias, self._activation, peephole_weights, self._cell_clip
            )
            if self._num_proj is not None:
                with tf.variable_scope("projection"):
                    output = clipped(self._linear([output], self._num_proj), self._proj_clip)
        return output, LSTMStateTuple(new, output)

    def _linear(self, args: Any, columns: int) -> Any:
        widths = [width(each) for each in args]
        kernel = tf.get_variable("kernel", [sum(widths), columns], dtype=args[0].dtype)
        if self._norm:
            with tf.control_dependencies(None):  # outside a while loop: normalizes once, not in each step
                parts = [
                    tf.nn.l2_normalize(rows, axis=0) * tf.get_variable("norm_%d" % i, [columns], dtype=rows.dtype)
                    for i, rows in enumerate(_split_rows(kernel, widths))
                ]
                kernel = tf.concat(parts, axis=0)
        return tf.matmul(args[0] if len(args) == 1 else tf.concat(args, 1), kernel)


def _split_rows(kernel: Any, widths: Any) -> Any:
    start = 0
    for rows in widths:
        yield kernel[start : start + rows, :]
        start += rows
