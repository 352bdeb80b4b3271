"""LSTM cells of tf.contrib.rnn with coupled gates, and with groups."""
from typing import Any, Callable, Optional, Tuple

from legacy_towers.compat.tf1.contrib.rnn.parts import (
    LSTMStateTuple,
    SizedCell,
    clipped,
    get_sharded_variable,
    layer_norm,
    lstm_sizes,
)
from legacy_towers.compat.tf1.core.linear import Linear, linear, width
from legacy_towers.compat.versions import tf

Activation = Callable[[Any], Any]


class CoupledInputForgetGateLSTMCell(SizedCell):
    """LSTM cell whose input gate is 1 minus its forget gate (https://arxiv.org/abs/1503.04069)."""

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
        # The variables have the names that LSTMCell had before TensorFlow 1.0.
        kernel = get_sharded_variable("W", (width(inputs) + self._output_size, 3 * units), dtype, self._shards[0])
        bias = tf.get_variable("B", shape=[3 * units], initializer=tf.zeros_initializer(), dtype=dtype)
        gate_inputs = tf.matmul(tf.concat([inputs, output], 1), kernel)
        if not self._layer_norm:
            gate_inputs = tf.nn.bias_add(gate_inputs, bias)
        j, f, o = tf.split(gate_inputs, 3, axis=1)
        if self._layer_norm:
            j, f, o = [layer_norm(x, name, *self._norm) for x, name in ((j, "transform"), (f, "forget"), (o, "output"))]
        f = f + self._forget_bias
        if self._use_peepholes:
            forget_peephole = tf.get_variable("W_F_diag", shape=[units], dtype=dtype)
            output_peephole = tf.get_variable("W_O_diag", shape=[units], dtype=dtype)
            f = f + forget_peephole * memory
        forget = tf.sigmoid(f)
        new = forget * memory + (1 - forget) * self._activation(j)
        if self._layer_norm:
            new = layer_norm(new, "state", *self._norm)
        if self._use_peepholes:
            o = o + output_peephole * new
        output = tf.sigmoid(o) * self._activation(new)
        if self._num_proj is not None:
            output = tf.matmul(output, get_sharded_variable("W_P", (units, self._num_proj), dtype, self._shards[1]))
            output = clipped(output, self._proj_clip)
        return output, LSTMStateTuple(new, output) if self._state_is_tuple else tf.concat([new, output], 1)


class GLSTMCell(SizedCell):
    """Group LSTM cell (https://arxiv.org/abs/1703.10722): each group reads a slice of the inputs and of the output.

    Raises:
      ValueError: `num_units` or `num_proj` is not divisible by `number_of_groups`.
    """

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
        """Runs one step on `inputs` [batch, n].

        Raises:
          ValueError: n is not divisible by the number of groups.
        """
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
                bias = tf.get_variable(
                    "bias_" + name, [self._num_units], dtype=inputs.dtype, initializer=tf.zeros_initializer()
                )
                gates.append(tf.nn.bias_add(tf.concat(parts, 1), bias))
        i, j, f, o = gates
        new = tf.sigmoid(f + self._forget_bias) * memory + tf.sigmoid(i) * tf.tanh(j)
        output = tf.sigmoid(o) * self._activation(new)
        if self._num_proj is not None:
            with tf.variable_scope("projection"):
                output = Linear(output, self._num_proj, False)(output)
        return output, LSTMStateTuple(new, output)
