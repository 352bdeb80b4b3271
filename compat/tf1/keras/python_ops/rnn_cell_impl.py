"""tensorflow.python.ops.rnn_cell and rnn_cell_impl, with the private functions that scripts use."""
from typing import Any

from legacy_towers.compat.tf1.private import rnn
from legacy_towers.compat.versions import keras_modules, tf

_cells = keras_modules.cells_module()

RNNCell = tf.nn.rnn_cell.RNNCell
LayerRNNCell = _cells.LayerRNNCell
BasicRNNCell = tf.nn.rnn_cell.BasicRNNCell
BasicLSTMCell = tf.nn.rnn_cell.BasicLSTMCell
LSTMCell = tf.nn.rnn_cell.LSTMCell
LSTMStateTuple = tf.nn.rnn_cell.LSTMStateTuple
GRUCell = tf.nn.rnn_cell.GRUCell
MultiRNNCell = tf.nn.rnn_cell.MultiRNNCell
DropoutWrapper = tf.nn.rnn_cell.DropoutWrapper
ResidualWrapper = tf.nn.rnn_cell.ResidualWrapper
DeviceWrapper = tf.nn.rnn_cell.DeviceWrapper

ASSERT_LIKE_RNNCELL_ERROR_REGEXP = "is not an RNNCell"
_BIAS_VARIABLE_NAME = "bias"
_WEIGHTS_VARIABLE_NAME = "kernel"

assert_like_rnncell = rnn.assert_like_rnncell
_concat = _cells._concat
_hasattr = _cells._hasattr
_zero_state_tensors = _cells._zero_state_tensors


def _linear(*args: Any, **keywords: Any) -> Any:
    """Returns the linear map that RNN cells of 2016 and 2017 use; later versions have it in tf.contrib.rnn."""
    from legacy_towers.compat.tf1.core.linear import linear

    return linear(*args, **keywords)
