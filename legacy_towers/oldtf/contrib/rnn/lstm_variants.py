"""LSTM cells of tf.contrib.rnn that normalize, couple or group their gates."""
from typing import Any, Callable, Optional, Tuple

from legacy_towers.compat import tf
from legacy_towers.oldtf.contrib.rnn.linear import Linear, linear, width
from legacy_towers.oldtf.contrib.rnn.parts import (
    LSTMStateTuple,
    SizedCell,
    clipped,
    in_shards,
    layer_norm,
    lstm_sizes,
    lstm_step,
    peepholes,
)

Activation = Callable[[Any], Any]


class CoupledInputForgetGateLSTMCell(SizedCell):
    """An LSTM whose input gate is 1 minus its forget gate (https://arxiv.org/abs/1503.04069)."""

    def __init__(
        self,
        num_units: int,
        use_peepholes: bool = False,
        initializer: Any = None,
        num_proj: Optional[int] = None,
        proj_clip: Optional[float] = None,
        num_unit_shards: int = 1,
        num_proj_shards: int = 1,
        forget_bias: float = 1.0,
        state_is_tuple: bool = True,
        activation: Activation = tf.tanh,
        reuse: Any = None,
        layer_norm: bool = False,
        norm_gain: float = 1.0,
        norm_shift: float = 0.0,
    ) -> None:
        super().__init__(_reuse=reuse)
        self._num_units = num_units
        self._use_peepholes = use_peepholes
        self._initializer = initializer
        self._num_proj = num_proj
        self._proj_clip = proj_clip
        self._shards = (num_unit_shards, num_proj_shards)
        self._forget_bias = forget_bias
        self._state_is_tuple = state_is_tuple
        self._activation = activation
        self._layer_norm = layer_norm
        self._norm = (norm_gain, norm_shift)
        self._state_size, self._output_size = lstm_sizes(num_units, num_proj, state_is_tuple)

    def call(self, inputs: Any, state: Any) -> Tuple[Any, Any]:
        """Runs one step on `inputs` [batch, n]."""
        units, dtype = self._num_units, inputs.dtype
        memory, output = state if self._state_is_tuple else tf.split(state, [units, self._output_size], 1)
        # The variables' names are those of LSTMCell before TensorFlow 1.0.
        kernel = in_shards("W", (width(inputs) + self._output_size, 3 * units), dtype, self._shards[0])
        bias = tf.get_variable("B", shape=[3 * units], initializer=tf.zeros_initializer(), dtype=dtype)
        mixed = tf.matmul(tf.concat([inputs, output], 1), kernel)
        if not self._layer_norm:
            mixed = tf.nn.bias_add(mixed, bias)
        j, f, o = tf.split(mixed, 3, axis=1)
        if self._layer_norm:
            j, f, o = [layer_norm(x, name, *self._norm) for x, name in ((j, "transform"), (f, "forget"), (o, "output"))]
        f = f + self._forget_bias
        if self._use_peepholes:
            forget_hole = tf.get_variable("W_F_diag", shape=[units], dtype=dtype)
            output_hole = tf.get_variable("W_O_diag", shape=[units], dtype=dtype)
            f = f + forget_hole * memory
        forget = tf.sigmoid(f)
        new = forget * memory + (1 - forget) * self._activation(j)
        if self._layer_norm:
            new = layer_norm(new, "state", *self._norm)
        if self._use_peepholes:
            o = o + output_hole * new
        output = tf.sigmoid(o) * self._activation(new)
        if self._num_proj is not None:
            output = tf.matmul(output, in_shards("W_P", (units, self._num_proj), dtype, self._shards[1]))
            output = clipped(output, self._proj_clip)
        return output, LSTMStateTuple(new, output) if self._state_is_tuple else tf.concat([new, output], 1)


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


class GLSTMCell(SizedCell):
    """An LSTM of groups that see each a part of the input and of the output (https://arxiv.org/abs/1703.10722)."""

    def __init__(
        self,
        num_units: int,
        initializer: Any = None,
        num_proj: Optional[int] = None,
        number_of_groups: int = 1,
        forget_bias: float = 1.0,
        activation: Activation = tf.tanh,
        reuse: Any = None,
    ) -> None:
        super().__init__(_reuse=reuse)
        if num_units % number_of_groups:
            raise ValueError("num_units must be divisible by number_of_groups")
        if num_proj and num_proj % number_of_groups:
            raise ValueError("num_proj must be divisible by number_of_groups")
        self._num_units = num_units
        self._initializer = initializer
        self._num_proj = num_proj
        self._forget_bias = forget_bias
        self._activation = activation
        self._number_of_groups = number_of_groups
        self._group_shape = [(num_proj or num_units) // number_of_groups, num_units // number_of_groups]
        self._state_size, self._output_size = lstm_sizes(num_units, num_proj)

    def call(self, inputs: Any, state: Any) -> Tuple[Any, Any]:
        """Runs one step on `inputs` [batch, n], n a multiple of the groups."""
        memory, output = state
        if width(inputs) % self._number_of_groups:
            raise ValueError(
                "input size ({}) must be divisible by number_of_groups ({})".format(
                    width(inputs), self._number_of_groups
                )
            )
        with tf.variable_scope(tf.get_variable_scope(), initializer=self._initializer):
            pairs = zip(tf.split(inputs, self._number_of_groups, 1), tf.split(output, self._number_of_groups, 1))
            groups = []
            for group, pair in enumerate(pairs):
                with tf.variable_scope("group%d" % group):
                    groups.append(tf.split(linear(tf.concat(pair, 1), 4 * self._group_shape[1], False), 4, axis=1))
            gates = []
            for name, parts in zip("ijfo", zip(*groups)):
                start = tf.zeros_initializer()
                bias = tf.get_variable("bias_" + name, [self._num_units], dtype=inputs.dtype, initializer=start)
                gates.append(tf.nn.bias_add(tf.concat(parts, 1), bias))
        i, j, f, o = gates
        new = tf.sigmoid(f + self._forget_bias) * memory + tf.sigmoid(i) * tf.tanh(j)
        output = tf.sigmoid(o) * self._activation(new)
        if self._num_proj is not None:
            with tf.variable_scope("projection"):
                output = Linear(output, self._num_proj, False)(output)
        return output, LSTMStateTuple(new, output)


def _rows(kernel: Any, widths: Any) -> Any:
    start = 0
    for rows in widths:
        yield kernel[start : start + rows, :]
        start += rows
