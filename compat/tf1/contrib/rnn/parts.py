"""Base classes and functions that several cells of tf.contrib.rnn use."""
from typing import Any, Callable, NamedTuple, Optional, Tuple

from legacy_towers.compat.tf1.private import rnn
from legacy_towers.compat.versions import keras_modules, tf

LSTMStateTuple = tf.nn.rnn_cell.LSTMStateTuple
# A cell that creates its variables in `build`, in a variable scope of its own.
LayerRNNCell = keras_modules.cells_module().LayerRNNCell
_LAYER_NORM_EPSILON = 1e-12


class SizedCell(tf.nn.rnn_cell.RNNCell):
    """A cell whose sizes are the attributes `_state_size` and `_output_size`."""

    @property
    def state_size(self) -> Any:
        return self._state_size

    @property
    def output_size(self) -> Any:
        return self._output_size


class CellWrapper(tf.nn.rnn_cell.RNNCell):
    """A wrapper of the cell `_cell`, with the same state."""

    @property
    def state_size(self) -> Any:
        return self._cell.state_size

    @property
    def output_size(self) -> Any:
        return self._cell.output_size

    def zero_state(self, batch_size: Any, dtype: Any) -> Any:
        with tf.name_scope(type(self).__name__ + "ZeroState", values=[batch_size]):
            return self._cell.zero_state(batch_size, dtype)


def check_cell(cell: Any) -> Any:
    """Returns `cell`.

    Raises:
      TypeError: `cell` is not an RNNCell.
    """
    rnn.assert_like_rnncell("cell", cell)
    return cell


def lstm_sizes(num_units: int, num_proj: Optional[int], state_is_tuple: bool = True) -> Tuple[Any, int]:
    """Returns (state_size, output_size) of an LSTM cell."""
    output = num_proj if num_proj else num_units
    return LSTMStateTuple(num_units, output) if state_is_tuple else num_units + output, output


class Peepholes(NamedTuple):
    """Peephole weights of the gates, each [num_units]."""

    forget: Any
    input: Any
    output: Any


def peepholes(
    num_units: int, dtype: Any, names: Tuple[str, str, str] = ("w_f_diag", "w_i_diag", "w_o_diag")
) -> Peepholes:
    """Creates the peephole variables in the current variable scope."""
    return Peepholes(*[tf.get_variable(name, shape=[num_units], dtype=dtype) for name in names])


def lstm_step(
    gates: Tuple[Any, Any, Any, Any],
    memory: Any,
    forget_bias: Any,
    activation: Callable[[Any], Any],
    peephole_weights: Optional[Peepholes] = None,
    clip: Optional[float] = None,
    memory_norm: Optional[Callable[[Any], Any]] = None,
) -> Tuple[Any, Any]:
    """Runs one step of an LSTM.

    Args:
      gates: (input gate, new input, forget gate, output gate), each [batch, units], before their activations.
      memory: the cell state [batch, units].
      clip: bound of the absolute value of the new cell state; None: unbounded.
      memory_norm: applied to the new cell state.

    Returns:
      (new cell state, output), each [batch, units].
    """
    i, j, f, o = gates
    f = f + forget_bias
    if peephole_weights is not None:
        f, i = f + peephole_weights.forget * memory, i + peephole_weights.input * memory
    new = tf.sigmoid(f) * memory + tf.sigmoid(i) * activation(j)
    if memory_norm is not None:
        new = memory_norm(new)
    if clip is not None:
        new = tf.clip_by_value(new, -clip, clip)
    if peephole_weights is not None:
        o = o + peephole_weights.output * new
    return new, tf.sigmoid(o) * activation(new)


def clipped(x: Any, bound: Optional[float]) -> Any:
    """Returns `x` clipped to [-bound, bound]; unchanged if `bound` is None."""
    return x if bound is None else tf.clip_by_value(x, -bound, bound)


def layer_norm(x: Any, scope: str, gain: float, shift: float, dtype: Any = tf.float32) -> Any:
    """Returns `x` [batch, n] normalized in each row, with the variables "gamma" and "beta" in `scope`."""
    with tf.variable_scope(scope):
        gamma = tf.get_variable("gamma", shape=x.shape[-1:], initializer=tf.constant_initializer(gain), dtype=dtype)
        beta = tf.get_variable("beta", shape=x.shape[-1:], initializer=tf.constant_initializer(shift), dtype=dtype)
        mean, variance = tf.nn.moments(x, [1], keep_dims=True)
        return tf.nn.batch_normalization(x, mean, variance, beta, gamma, _LAYER_NORM_EPSILON)


def get_sharded_variable(name: str, shape: Tuple[int, int], dtype: Any, count: int) -> Any:
    """Returns a matrix of `shape` whose rows are split over `count` variables: name_0, name_1, ...

    Where the rows can't be split evenly, the first variables have one more.

    Raises:
      ValueError: there are fewer rows than shards.
    """
    rows, columns = shape
    if count > rows:
        raise ValueError("Too many shards: shape={}, num_shards={}".format(list(shape), count))
    shard_rows, remainder = divmod(rows, count)
    shards = [
        tf.get_variable("{}_{}".format(name, i), [shard_rows + (1 if i < remainder else 0), columns], dtype=dtype)
        for i in range(count)
    ]
    if count == 1:
        return shards[0]
    concat_name = "{}/{}/concat:0".format(tf.get_variable_scope().name, name)
    for tensor in tf.get_collection(tf.GraphKeys.CONCATENATED_VARIABLES):
        if tensor.name == concat_name:
            return tensor
    matrix = tf.concat(shards, 0, name=name + "/concat")
    tf.add_to_collection(tf.GraphKeys.CONCATENATED_VARIABLES, matrix)
    return matrix
