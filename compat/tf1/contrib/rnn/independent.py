"""Independently recurrent cells of tf.contrib.rnn (https://arxiv.org/abs/1803.04831).

The recurrent kernel is a vector instead of a matrix: each unit depends on its own previous output alone.
"""
from typing import Any, Callable, Optional, Tuple

from legacy_towers.compat.tf1.contrib.rnn.parts import LayerRNNCell, LSTMStateTuple
from legacy_towers.compat.tf1.contrib.rnn.small_cells import known_width
from legacy_towers.compat.versions import tf

Activation = Callable[[Any], Any]


class _IndependentCell(LayerRNNCell):
    """Base of the three cells: their sizes, variables, and the linear combination of input and previous output."""

    def __init__(
        self, num_units: int, activation: Optional[Activation], reuse: Any, name: Optional[str], dtype: Any
    ) -> None:
        super().__init__(_reuse=reuse, name=name, dtype=dtype)
        self.input_spec = tf.layers.InputSpec(ndim=2)
        self._num_units = num_units
        self._activation = activation or tf.tanh
        self._kernel_initializer: Any = None
        self._bias_initializer: Any = None

    @property
    def state_size(self) -> Any:
        return self._num_units

    @property
    def output_size(self) -> int:
        return self._num_units

    def _weights(self, prefix: str, input_name: str, rows: int, gates: int, bias_start: float = 0.0) -> Any:
        columns = gates * self._num_units
        recurrent_initializer = tf.random_uniform_initializer(minval=-1, maxval=1, dtype=self.dtype or tf.float32)
        bias = tf.constant_initializer(bias_start, dtype=self.dtype or tf.float32)
        return (
            self.add_weight(prefix + input_name, shape=[rows, columns], initializer=self._kernel_initializer),
            self.add_weight(prefix + "kernel_u", shape=[1, columns], initializer=recurrent_initializer),
            self.add_weight(
                prefix + "bias",
                shape=[columns],
                initializer=bias if self._bias_initializer is None else self._bias_initializer,
            ),
        )

    @staticmethod
    def _gate_inputs(inputs: Any, past: Any, weights: Any, gates: int = 1) -> Any:
        kernel, diagonal, bias = weights
        return tf.nn.bias_add(tf.matmul(inputs, kernel) + tf.tile(past, [1, gates]) * diagonal, bias)


class IndRNNCell(_IndependentCell):
    """Independently Recurrent Neural Network (IndRNN) cell."""

    def __init__(
        self,
        num_units: int,
        activation: Optional[Activation] = None,
        reuse: Any = None,
        name: Optional[str] = None,
        dtype: Any = None,
    ) -> None:
        super().__init__(num_units, activation, reuse, name, dtype)

    def build(self, inputs_shape: Any) -> None:
        """Creates the variables."""
        self._cell_weights = self._weights("", "kernel_w", known_width(inputs_shape), 1)
        self.built = True

    def call(self, inputs: Any, state: Any) -> Tuple[Any, Any]:
        """Runs one step on `inputs` [batch, n]."""
        output = self._activation(self._gate_inputs(inputs, state, self._cell_weights))
        return output, output


class IndyGRUCell(_IndependentCell):
    """Independently recurrent GRU cell."""

    def __init__(
        self,
        num_units: int,
        activation: Optional[Activation] = None,
        reuse: Any = None,
        kernel_initializer: Any = None,
        bias_initializer: Any = None,
        name: Optional[str] = None,
        dtype: Any = None,
    ) -> None:
        super().__init__(num_units, activation, reuse, name, dtype)
        self._kernel_initializer = kernel_initializer
        self._bias_initializer = bias_initializer

    def build(self, inputs_shape: Any) -> None:
        """Creates the variables."""
        rows = known_width(inputs_shape)
        self._gates = self._weights("gates/", "kernel_w", rows, 2, bias_start=1.0)
        self._candidate = self._weights("candidate/", "kernel", rows, 1)
        self.built = True

    def call(self, inputs: Any, state: Any) -> Tuple[Any, Any]:
        """Runs one step on `inputs` [batch, n]."""
        reset, update = tf.split(tf.sigmoid(self._gate_inputs(inputs, state, self._gates, 2)), 2, axis=1)
        candidate = self._activation(self._gate_inputs(inputs, reset * state, self._candidate))
        output = update * state + (1 - update) * candidate
        return output, output


class IndyLSTMCell(_IndependentCell):
    """Independently recurrent LSTM cell."""

    def __init__(
        self,
        num_units: int,
        forget_bias: float = 1.0,
        activation: Optional[Activation] = None,
        reuse: Any = None,
        kernel_initializer: Any = None,
        bias_initializer: Any = None,
        name: Optional[str] = None,
        dtype: Any = None,
    ) -> None:
        super().__init__(num_units, activation, reuse, name, dtype)
        self._forget_bias = forget_bias
        self._kernel_initializer = kernel_initializer
        self._bias_initializer = bias_initializer

    @property
    def state_size(self) -> Any:
        return LSTMStateTuple(self._num_units, self._num_units)

    def build(self, inputs_shape: Any) -> None:
        """Creates the variables."""
        self._cell_weights = self._weights("", "kernel_w", known_width(inputs_shape), 4)
        self.built = True

    def call(self, inputs: Any, state: Any) -> Tuple[Any, Any]:
        """Runs one step on `inputs` [batch, n]."""
        memory, output = state
        i, j, f, o = tf.split(self._gate_inputs(inputs, output, self._cell_weights, 4), 4, axis=1)
        new = memory * tf.sigmoid(f + self._forget_bias) + tf.sigmoid(i) * self._activation(j)
        output = self._activation(new) * tf.sigmoid(o)
        return output, LSTMStateTuple(new, output)
