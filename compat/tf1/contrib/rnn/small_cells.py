"""UGRNNCell, IntersectionRNNCell, SRUCell and NASCell of tf.contrib.rnn."""
from typing import Any, Callable, Optional, Tuple

from legacy_towers.compat.tf1.contrib.rnn.parts import LayerRNNCell, LSTMStateTuple, SizedCell, lstm_sizes
from legacy_towers.compat.tf1.core.linear import Linear, width
from legacy_towers.compat.versions import tf

Activation = Callable[[Any], Any]


class UGRNNCell(SizedCell):
    """Update Gate Recurrent Neural Network (https://arxiv.org/abs/1611.09913)."""

    def __init__(
        self,
        num_units: int,
        initializer: Any = None,
        forget_bias: float = 1.0,
        activation: Activation = tf.tanh,
        reuse: Any = None,
    ) -> None:
        super().__init__(_reuse=reuse)
        self._state_size = self._output_size = self._num_units = num_units
        self._initializer = initializer
        self._forget_bias = forget_bias
        self._activation = activation
        self._linear: Optional[Linear] = None

    def call(self, inputs: Any, state: Any) -> Tuple[Any, Any]:
        """Runs one step on `inputs` [batch, n]."""
        width(inputs)  # raises ValueError where the depth is not known
        with tf.variable_scope(tf.get_variable_scope(), initializer=self._initializer):
            inputs_and_state = tf.concat([inputs, state], 1)
            if self._linear is None:
                self._linear = Linear(inputs_and_state, 2 * self._num_units, True)
            gate, new = tf.split(self._linear(inputs_and_state), 2, axis=1)
            gate = tf.sigmoid(gate + self._forget_bias)
            output = gate * state + (1.0 - gate) * self._activation(new)
        return output, output


class IntersectionRNNCell(SizedCell):
    """Intersection Recurrent Neural Network (https://arxiv.org/abs/1611.09913): gates over time and over depth."""

    def __init__(
        self,
        num_units: int,
        num_in_proj: Optional[int] = None,
        initializer: Any = None,
        forget_bias: float = 1.0,
        y_activation: Activation = tf.nn.relu,
        reuse: Any = None,
    ) -> None:
        super().__init__(_reuse=reuse)
        self._state_size = self._output_size = self._num_units = num_units
        self._num_input_proj = num_in_proj
        self._initializer = initializer
        self._forget_bias = forget_bias
        self._y_activation = y_activation
        self._linear1: Optional[Linear] = None
        self._linear2: Optional[Linear] = None

    def call(self, inputs: Any, state: Any) -> Tuple[Any, Any]:
        """Runs one step on `inputs` [batch, n].

        Raises:
          ValueError: n is not `num_units`, and `num_in_proj` is not given.
        """
        units = self._num_units
        with tf.variable_scope(tf.get_variable_scope(), initializer=self._initializer):
            if width(inputs) != units:
                if not self._num_input_proj:
                    raise ValueError(
                        "Must have input size == output size for Intersection RNN. To fix, num_in_proj should be set "
                        "to num_units at cell init."
                    )
                with tf.variable_scope("in_projection"):
                    if self._linear1 is None:
                        self._linear1 = Linear(inputs, units, True)
                    inputs = self._linear1(inputs)
            inputs_and_state = tf.concat([inputs, state], 1)
            if self._linear2 is None:
                self._linear2 = Linear(inputs_and_state, 4 * units, True)
            state_gate, new_state, output_gate, new_output = tf.split(self._linear2(inputs_and_state), 4, axis=1)
            state_gate = tf.sigmoid(state_gate + self._forget_bias)
            output_gate = tf.sigmoid(output_gate + self._forget_bias)
            new = state_gate * state + (1.0 - state_gate) * tf.tanh(new_state)
            output = output_gate * inputs + (1.0 - output_gate) * self._y_activation(new_output)
        return output, new


class SRUCell(LayerRNNCell):
    """Simple Recurrent Unit (https://arxiv.org/abs/1709.02755)."""

    def __init__(
        self,
        num_units: int,
        activation: Optional[Activation] = None,
        reuse: Any = None,
        name: Optional[str] = None,
        **kwargs: Any
    ) -> None:
        super().__init__(_reuse=reuse, name=name, **kwargs)
        self._num_units = num_units
        self._activation = activation or tf.tanh
        self.input_spec = tf.layers.InputSpec(ndim=2)

    @property
    def state_size(self) -> int:
        return self._num_units

    @property
    def output_size(self) -> int:
        return self._num_units

    def build(self, inputs_shape: Any) -> None:
        """Creates the variables "kernel" and "bias"."""
        self._kernel = self.add_weight("kernel", shape=[known_width(inputs_shape), 4 * self._num_units])
        self._bias = self.add_weight("bias", shape=[2 * self._num_units], initializer=tf.zeros_initializer())
        self.built = True

    def call(self, inputs: Any, state: Any) -> Tuple[Any, Any]:
        """Runs one step on `inputs` [batch, n]."""
        candidate, forget, reset, highway = tf.split(tf.matmul(inputs, self._kernel), 4, axis=1)
        gates = tf.sigmoid(tf.nn.bias_add(tf.concat([forget, reset], 1), self._bias))
        forget, reset = tf.split(gates, 2, axis=1)
        new = forget * state + (1.0 - forget) * candidate
        return reset * self._activation(new) + (1.0 - reset) * highway, new


class NASCell(LayerRNNCell):
    """The recurrent cell found by neural architecture search (https://arxiv.org/abs/1611.01578)."""

    def __init__(
        self, num_units: int, num_proj: Optional[int] = None, use_bias: bool = False, reuse: Any = None, **kwargs: Any
    ) -> None:
        super().__init__(_reuse=reuse, **kwargs)
        self._num_units = num_units
        self._num_proj = num_proj
        self._use_bias = use_bias
        self._state_size, self._output_size = lstm_sizes(num_units, num_proj)

    @property
    def state_size(self) -> Any:
        return self._state_size

    @property
    def output_size(self) -> int:
        return self._output_size

    def build(self, inputs_shape: Any) -> None:
        """Creates "recurrent_kernel" and "kernel", and "bias" and "projection_weights" where they are used."""
        columns = 8 * self._num_units
        self.recurrent_kernel = self.add_weight("recurrent_kernel", [self._output_size, columns])
        self.kernel = self.add_weight("kernel", [known_width(inputs_shape), columns])
        if self._use_bias:
            self.bias = self.add_weight("bias", shape=[columns], initializer=tf.zeros_initializer())
        if self._num_proj is not None:
            self.projection_weights = self.add_weight("projection_weights", [self._num_units, self._num_proj])
        self.built = True

    def call(self, inputs: Any, state: Any) -> Tuple[Any, Any]:
        """Runs one step on `inputs` [batch, n]."""
        memory, output = state
        past = tf.matmul(output, self.recurrent_kernel)
        if self._use_bias:
            past = tf.nn.bias_add(past, self.bias)
        x = tf.split(tf.matmul(inputs, self.kernel), 8, axis=1)
        p = tf.split(past, 8, axis=1)
        # The computation tree of the paper, leaves first.
        left = tf.tanh(tf.sigmoid(x[0] + p[0]) * tf.nn.relu(x[1] + p[1]))
        middle = tf.tanh(tf.sigmoid(x[2] + p[2]) + tf.nn.relu(x[3] * p[3]))
        right = tf.tanh(tf.tanh(x[4] + p[4]) * tf.sigmoid(x[5] + p[5]))
        last = tf.sigmoid(tf.tanh(x[6] + p[6]) + tf.sigmoid(x[7] + p[7]))
        new = tf.tanh(left + memory) * middle
        output = tf.tanh(new * tf.tanh(right + last))
        if self._num_proj is not None:
            output = tf.matmul(output, self.projection_weights)
        return output, LSTMStateTuple(new, output)


def known_width(shape: Any) -> int:
    """Returns the last dimension of `shape`.

    Raises:
      ValueError: it is not statically known.
    """
    size = tf.dimension_value(tf.TensorShape(shape)[-1])
    if size is None:
        raise ValueError("Expected inputs.shape[-1] to be known, saw shape: {}".format(shape))
    return int(size)
