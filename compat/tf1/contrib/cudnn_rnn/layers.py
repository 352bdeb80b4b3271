"""The layers of tf.contrib.cudnn_rnn, computed by the CudnnCompatible cells on CPU and GPU.

In TensorFlow 1.x a layer has one variable, "opaque_kernel", in a format that only cuDNN reads; checkpoints contain its
parts under the variable names of the compatible cells. Here these parts are the variables, so such checkpoints restore.
"""
from typing import Any, List, Optional, Sequence, Tuple

from legacy_towers.compat.tf1.contrib.cudnn_rnn.cells import CudnnCompatibleGRUCell, CudnnCompatibleLSTMCell
from legacy_towers.compat.versions import tf

UNIDIRECTIONAL, BIDIRECTIONAL = "unidirectional", "bidirectional"
_INPUT_MODES = ("linear_input", "auto_select")
_DTYPES = (tf.float16, tf.float32, tf.float64)


class _CudnnRNN(tf.layers.Layer):
    """A stack of unidirectional or bidirectional recurrent layers.

    Args:
      num_layers: the number of layers.
      num_units: the number of units of a layer in each direction.
      input_mode: "linear_input" or "auto_select".
      direction: "unidirectional" or "bidirectional".
      dropout: the dropout rate between layers in training.
      seed: the seed of dropout and of the default kernel initializer.
      dtype: tf.float16, tf.float32 or tf.float64.
      kernel_initializer: for all kernels, by default glorot_uniform.
      bias_initializer: for all biases, by default zeros; CudnnGRU only.
      name: the name of the layer.

    Raises:
      ValueError: an argument has a value that is not supported.
    """

    _rnn_mode = ""

    def __init__(
        self,
        num_layers: int,
        num_units: int,
        input_mode: str = "linear_input",
        direction: str = UNIDIRECTIONAL,
        dropout: float = 0.0,
        seed: Optional[int] = None,
        dtype: Any = tf.float32,
        kernel_initializer: Any = None,
        bias_initializer: Any = None,
        name: Optional[str] = None,
    ) -> None:
        super().__init__(dtype=dtype, name=name)
        if direction not in (UNIDIRECTIONAL, BIDIRECTIONAL):
            raise ValueError(
                "Invalid direction: {}, expecting {} or {}".format(direction, UNIDIRECTIONAL, BIDIRECTIONAL)
            )
        if input_mode not in _INPUT_MODES:
            raise ValueError("input_mode {!r} needs cuDNN; use one of {}".format(input_mode, ", ".join(_INPUT_MODES)))
        if dtype not in _DTYPES:
            raise ValueError("Only support float16, float32, float64, provided {}".format(dtype))
        self._num_layers = num_layers
        self._num_units = num_units
        self._input_mode = input_mode
        self._direction = direction
        self._dropout = dropout
        self._seed = seed
        self._kernel_initializer = kernel_initializer or tf.glorot_uniform_initializer(seed=seed, dtype=dtype)
        self._bias_initializer = bias_initializer
        self._input_size: Optional[int] = None
        self._cells = [[self._cell() for _ in range(self.num_dirs)] for _ in range(num_layers)]

    @property
    def num_layers(self) -> int:
        return self._num_layers

    @property
    def num_units(self) -> int:
        return self._num_units

    @property
    def input_mode(self) -> str:
        return self._input_mode

    @property
    def input_size(self) -> int:
        if not self._input_size:
            raise ValueError("'input_size' is unknown since layer has not been built.")
        return self._input_size

    @property
    def rnn_mode(self) -> str:
        return self._rnn_mode

    @property
    def direction(self) -> str:
        return self._direction

    @property
    def num_dirs(self) -> int:
        return 1 if self._direction == UNIDIRECTIONAL else 2

    @property
    def saveable(self) -> None:
        """None: the variables are saved without conversion."""
        return None

    @property
    def trainable_weights(self) -> List[Any]:
        return [weight for layer in self._cells for cell in layer for weight in cell.trainable_weights]

    @property
    def non_trainable_weights(self) -> List[Any]:
        return []

    def build(self, input_shape: Any) -> None:
        """Stores the input size of `input_shape` [time, batch, size]; the first call creates the variables."""
        shape = tf.TensorShape(input_shape)
        if shape.ndims != 3:
            raise ValueError("Expecting input_shape with 3 dims, got {}".format(shape.ndims))
        self._input_size = tf.dimension_value(shape[-1])
        if self._input_size is None:
            raise ValueError("The last dimension of the inputs to `CudnnRNN` should be defined. Found `None`.")
        self.built = True

    def state_shape(self, batch_size: Any) -> Tuple[List[Any], ...]:
        """Returns the shape of each tensor of the state, [num_layers * num_dirs, batch_size, num_units]."""
        return ([self._num_layers * self.num_dirs, batch_size, self._num_units],) * self._state_parts()

    def call(
        self,
        inputs: Any,
        initial_state: Optional[Tuple[Any, ...]] = None,
        sequence_lengths: Any = None,
        time_major: bool = True,
        training: Any = True,
    ) -> Tuple[Any, Tuple[Any, ...]]:
        """Computes the outputs and final states of all layers.

        Args:
          inputs: [time, batch, size], or [batch, time, size] if `time_major` is False.
          initial_state: (h, c), or (h,), each [layers * directions, batch, units]; zeros by default.
          sequence_lengths: int32 [batch]; outputs after the end of a sequence are 0.
          training: a bool or scalar bool tensor; dropout is applied in training only.

        Returns:
          (outputs [time, batch, directions * units], batch-major if `inputs` are; final state like `initial_state`).

        Raises:
          TypeError: `initial_state` is not a tuple.
        """
        if initial_state is not None and not isinstance(initial_state, tuple):
            raise TypeError("Invalid initial_state type: {}, expecting tuple.".format(initial_state))
        inputs = tf.convert_to_tensor(inputs, dtype=self.dtype)
        if not time_major:
            inputs = tf.transpose(inputs, [1, 0, 2])
        if initial_state is None:
            initial_state = tuple(tf.zeros(shape, self.dtype) for shape in self.state_shape(tf.shape(inputs)[1]))
        parts = [tf.unstack(tf.convert_to_tensor(each, self.dtype), self._num_layers * self.num_dirs)
                 for each in initial_state]
        last: List[Any] = []
        for layer in range(self._num_layers):
            if layer and self._dropout:
                inputs = tf.layers.dropout(inputs, self._dropout, seed=self._seed, training=training)
            initial = list(zip(*parts))[layer * self.num_dirs : (layer + 1) * self.num_dirs]
            inputs, states = self._layer(layer, inputs, initial, sequence_lengths)
            last.extend(states)
        if not time_major:
            inputs = tf.transpose(inputs, [1, 0, 2])
        return inputs, tuple(tf.stack(part) for part in zip(*last))

    def _layer(self, layer: int, inputs: Any, initial: Sequence[Any], lengths: Any) -> Tuple[Any, List[Any]]:
        keywords = {"sequence_length": lengths, "time_major": True, "dtype": self.dtype}
        states = [self._to_cell(state) for state in initial]
        initializer = _initializer_of_blocks(self._kernel_initializer, self._num_units)
        if self.num_dirs == 1:
            with tf.variable_scope("rnn/multi_rnn_cell/cell_%d" % layer, initializer=initializer) as scope:
                outputs, state = tf.nn.dynamic_rnn(
                    self._cells[layer][0], inputs, initial_state=states[0], scope=scope, **keywords
                )
            return outputs, [self._from_cell(state)]
        with tf.variable_scope("stack_bidirectional_rnn/cell_%d" % layer, initializer=initializer):
            both, last = tf.nn.bidirectional_dynamic_rnn(
                self._cells[layer][0],
                self._cells[layer][1],
                inputs,
                initial_state_fw=states[0],
                initial_state_bw=states[1],
                **keywords
            )
        return tf.concat(both, 2), [self._from_cell(state) for state in last]

    def _cell(self) -> Any:
        raise NotImplementedError

    def _state_parts(self) -> int:
        return 1

    def _to_cell(self, state: Sequence[Any]) -> Any:
        return state[0]

    def _from_cell(self, state: Any) -> Tuple[Any, ...]:
        return (state,)


class CudnnLSTM(_CudnnRNN):
    """Computes the LSTM of cuDNN; the state is (h, c)."""

    _rnn_mode = "lstm"

    def _cell(self) -> Any:
        return _without_bias_initializer(CudnnCompatibleLSTMCell(self._num_units), self._bias_initializer)

    def _state_parts(self) -> int:
        return 2

    def _to_cell(self, state: Sequence[Any]) -> Any:
        return tf.nn.rnn_cell.LSTMStateTuple(state[1], state[0])

    def _from_cell(self, state: Any) -> Tuple[Any, ...]:
        return state.h, state.c


class CudnnGRU(_CudnnRNN):
    """Computes the GRU of cuDNN; the state is (h,)."""

    _rnn_mode = "gru"

    def _cell(self) -> Any:
        cell = CudnnCompatibleGRUCell(self._num_units)
        cell._bias_initializer = self._bias_initializer or tf.zeros_initializer()
        return cell


class CudnnRNNTanh(_CudnnRNN):
    """Computes the simple RNN of cuDNN with tanh; the state is (h,)."""

    _rnn_mode = "rnn_tanh"
    _activation = staticmethod(tf.tanh)

    def _cell(self) -> Any:
        cell = tf.nn.rnn_cell.BasicRNNCell(self._num_units, activation=self._activation)
        return _without_bias_initializer(cell, self._bias_initializer)


class CudnnRNNRelu(CudnnRNNTanh):
    """Computes the simple RNN of cuDNN with relu; the state is (h,)."""

    _rnn_mode = "rnn_relu"
    _activation = staticmethod(tf.nn.relu)


def _without_bias_initializer(cell: Any, initializer: Any) -> Any:
    if initializer is not None:
        raise ValueError(
            "only CudnnGRU supports bias_initializer: assign the variables .../bias after initialization instead"
        )
    return cell


def _initializer_of_blocks(initializer: Any, units: int) -> Any:
    """Returns a kernel initializer that calls `initializer` per gate, for inputs and state separately, like cuDNN."""

    def initialize(shape: Any, dtype: Any = None, partition_info: Any = None) -> Any:
        rows, columns = [int(size) for size in shape]
        sides = [rows] if rows <= units else [rows - units, units]
        blocks = [
            tf.concat([tf.transpose(initializer([units, side], dtype=dtype)) for side in sides], 0)
            for _ in range(columns // units)
        ]
        return tf.concat(blocks, 1)

    return initialize
