"""Convolutional LSTM cells of tf.contrib.rnn (https://arxiv.org/abs/1506.04214)."""
from typing import Any, List, Sequence, Tuple

from legacy_towers.compat.tf1.contrib.rnn.parts import LSTMStateTuple, SizedCell
from legacy_towers.compat.versions import tf


class ConvLSTMCell(SizedCell):
    """Convolutional LSTM cell.

    Inputs are [batch] + input_shape, states [batch] + input_shape[:-1] + [output_channels].

    Args:
      conv_ndims: the number of convolved dimensions: 1, 2 or 3.
      input_shape: spatial dimensions and channels, without the batch.
      kernel_shape: the size of the kernel in each convolved dimension.
      skip_connection: whether the inputs are appended to the outputs' channels.
      initializers: not used, as in TensorFlow 1.15.

    Raises:
      ValueError: `input_shape` does not have `conv_ndims` + 1 dimensions.
    """

    def __init__(
        self,
        conv_ndims: int,
        input_shape: List[int],
        output_channels: int,
        kernel_shape: Sequence[int],
        use_bias: bool = True,
        skip_connection: bool = False,
        forget_bias: float = 1.0,
        initializers: Any = None,
        name: str = "conv_lstm_cell",
    ) -> None:
        super().__init__(name=name)
        if conv_ndims != len(input_shape) - 1:
            raise ValueError("Invalid input_shape {} for conv_ndims={}.".format(input_shape, conv_ndims))
        self._conv_ndims = conv_ndims
        self._output_channels = output_channels
        self._kernel_shape = list(kernel_shape)
        self._use_bias = use_bias
        self._forget_bias = forget_bias
        self._skip_connection = skip_connection
        image, channels = list(input_shape[:-1]), input_shape[-1]
        state = tf.TensorShape(image + [output_channels])
        self._state_size = LSTMStateTuple(state, state)
        self._output_size = tf.TensorShape(image + [output_channels + (channels if skip_connection else 0)])

    def call(self, inputs: Any, state: Any, scope: Any = None) -> Tuple[Any, Any]:
        """Runs one step on `inputs` [batch] + input_shape."""
        memory, hidden = state
        gate_inputs = self._convolved(tf.concat([inputs, hidden], -1))
        i, j, f, o = tf.split(gate_inputs, 4, axis=self._conv_ndims + 1)
        new = tf.sigmoid(f + self._forget_bias) * memory + tf.sigmoid(i) * tf.tanh(j)
        output = tf.tanh(new) * tf.sigmoid(o)
        if self._skip_connection:
            output = tf.concat([output, inputs], axis=-1)
        return output, LSTMStateTuple(new, output)

    def _convolved(self, x: Any) -> Any:
        depth = tf.dimension_value(x.shape[-1])
        features = 4 * self._output_channels
        kernel = tf.get_variable("kernel", self._kernel_shape + [depth, features], dtype=x.dtype)
        strides: Any = [1] * (self._conv_ndims + 2)
        if self._conv_ndims == 1:
            y = tf.nn.conv1d(x, kernel, 1, padding="SAME")
        elif self._conv_ndims == 2:
            y = tf.nn.conv2d(x, kernel, strides, padding="SAME")
        elif self._conv_ndims == 3:
            y = tf.nn.conv3d(x, kernel, strides, padding="SAME")
        else:
            raise ValueError("conv_ndims must be 1, 2 or 3, got {}".format(self._conv_ndims))
        if not self._use_bias:
            return y
        return y + tf.get_variable("biases", [features], dtype=x.dtype, initializer=tf.zeros_initializer())


class Conv1DLSTMCell(ConvLSTMCell):
    """1D convolutional LSTM cell."""

    def __init__(self, name: str = "conv_1d_lstm_cell", **kwargs: Any) -> None:
        super().__init__(conv_ndims=1, name=name, **kwargs)


class Conv2DLSTMCell(ConvLSTMCell):
    """2D convolutional LSTM cell."""

    def __init__(self, name: str = "conv_2d_lstm_cell", **kwargs: Any) -> None:
        super().__init__(conv_ndims=2, name=name, **kwargs)


class Conv3DLSTMCell(ConvLSTMCell):
    """3D convolutional LSTM cell."""

    def __init__(self, name: str = "conv_3d_lstm_cell", **kwargs: Any) -> None:
        super().__init__(conv_ndims=3, name=name, **kwargs)
