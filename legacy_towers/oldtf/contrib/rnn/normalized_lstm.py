"""LSTM cells of tf.contrib.rnn that normalize: their gates by layer, or their weights."""
from typing import Any, Callable, Optional, Tuple

from legacy_towers.compat import tf
from legacy_towers.oldtf.contrib.rnn.linear import linear, width
from legacy_towers.oldtf.contrib.rnn.parts import (
    LSTMStateTuple,
    SizedCell,
    clipped,
    layer_norm,
    lstm_sizes,
    lstm_step,
    peepholes,
)

Activation = Callable[[Any], Any]


class LayerNormBasicLSTMCell(SizedCell):
    """An LSTM with layer normalization (https://arxiv.org/abs/1607.06450) and dropout of its new input
    (https://arxiv.org/abs/1603.05118).
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
        mixed = self._linear(tf.concat([inputs, output], 1))
        i, j, f, o = tf.split(mixed, 4, axis=1)
        if self._layer_norm:
            i, j = self._norm(i, "input", mixed.dtype), self._norm(j, "transform", mixed.dtype)
            f, o = self._norm(f, "forget", mixed.dtype), self._norm(o, "output", mixed.dtype)
        new_input = self._activation(j)
        if not isinstance(self._keep_prob, float) or self._keep_prob < 1:
            new_input = tf.nn.dropout(new_input, self._keep_prob, seed=self._seed)
        new = memory * tf.sigmoid(f + self._forget_bias) + tf.sigmoid(i) * new_input
        if self._layer_norm:
            new = self._norm(new, "state", mixed.dtype)
        output = self._activation(new) * tf.sigmoid(o)
        return output, LSTMStateTuple(new, output)

    def _norm(self, x: Any, scope: str, dtype: Any = tf.float32) -> Any:
        return layer_norm(x, scope, self._norm_gain, self._norm_shift, dtype)

    def _linear(self, x: Any) -> Any:
        kernel = tf.get_variable("kernel", [width(x), 4 * self._num_units], dtype=x.dtype)
        if self._layer_norm:
            return tf.matmul(x, kernel)
        # Unlike other cells' it starts with the scope's initializer, not with zeros.
        return tf.nn.bias_add(tf.matmul(x, kernel), tf.get_variable("bias", [4 * self._num_units], dtype=x.dtype))


class LayerNormLSTMCell(SizedCell):
    """LSTMCell with layer normalization of its gates and memory (https://arxiv.org/abs/1607.06450)."""

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
            # Made though normalized gates don't add it: checkpoints have it.
            bias = tf.get_variable("bias", [4 * units], dtype=inputs.dtype, initializer=tf.zeros_initializer())
            mixed = tf.matmul(tf.concat([inputs, output], 1), kernel)
            gates = tf.split(mixed if self._layer_norm else tf.nn.bias_add(mixed, bias), 4, axis=1)
            memory_norm = None
            if self._layer_norm:
                names = ("input", "transform", "forget", "output")
                gates = [layer_norm(gate, name, *self._norm) for gate, name in zip(gates, names)]

                def memory_norm(new: Any) -> Any:
                    return layer_norm(new, "state", *self._norm)

            holes = peepholes(units, inputs.dtype) if self._use_peepholes else None
            new, output = lstm_step(
                gates, memory, self._forget_bias, self._activation, holes, self._cell_clip, memory_norm
            )
            if self._num_proj is not None:
                with tf.variable_scope("projection"):
                    output = clipped(linear(output, self._num_proj, False), self._proj_clip)
        return output, LSTMStateTuple(new, output)


class WeightNormLSTMCell(SizedCell):
    """LSTMCell whose weights are a direction and a length for each column (https://arxiv.org/abs/1602.07868)."""

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
            mixed = self._linear([inputs, output], 4 * self._num_units)
            bias = tf.get_variable(
                "bias", [4 * self._num_units], dtype=inputs.dtype, initializer=tf.zeros_initializer()
            )
            holes = peepholes(self._num_units, inputs.dtype) if self._use_peepholes else None
            gates = tf.split(tf.nn.bias_add(mixed, bias), 4, axis=1)
            new, output = lstm_step(gates, memory, self._forget_bias, self._activation, holes, self._cell_clip)
            if self._num_proj is not None:
                with tf.variable_scope("projection"):
                    output = clipped(self._linear([output], self._num_proj), self._proj_clip)
        return output, LSTMStateTuple(new, output)

    def _linear(self, args: Any, columns: int) -> Any:
        widths = [width(each) for each in args]
        kernel = tf.get_variable("kernel", [sum(widths), columns], dtype=args[0].dtype)
        if self._norm:
            with tf.control_dependencies(None):  # in a loop, normalized once and not in each step
                parts = [
                    tf.nn.l2_normalize(rows, axis=0) * tf.get_variable("norm_%d" % i, [columns], dtype=rows.dtype)
                    for i, rows in enumerate(_rows(kernel, widths))
                ]
                kernel = tf.concat(parts, axis=0)
        return tf.matmul(args[0] if len(args) == 1 else tf.concat(args, 1), kernel)


def _rows(kernel: Any, widths: Any) -> Any:
    start = 0
    for rows in widths:
        yield kernel[start : start + rows, :]
        start += rows
