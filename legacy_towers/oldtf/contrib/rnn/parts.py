"""What several cells of tf.contrib.rnn are made from."""
from typing import Any, Callable, NamedTuple, Optional, Tuple

from legacy_towers.compat import keras_modules, rnn, tf

LSTMStateTuple = tf.nn.rnn_cell.LSTMStateTuple
# Makes its variables in `build`, under its own name.
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


class CellAround(tf.nn.rnn_cell.RNNCell):
    """A cell around another one, `_cell`, whose state is the other's."""

    @property
    def state_size(self) -> Any:
        return self._cell.state_size

    @property
    def output_size(self) -> Any:
        return self._cell.output_size

    def zero_state(self, batch_size: Any, dtype: Any) -> Any:
        with tf.name_scope(type(self).__name__ + "ZeroState", values=[batch_size]):
            return self._cell.zero_state(batch_size, dtype)


def checked(cell: Any) -> Any:
    """Returns `cell`, the argument of that name.

    Raises:
      TypeError: it is no recurrent cell.
    """
    rnn.assert_like_rnncell("cell", cell)
    return cell


def lstm_sizes(num_units: int, num_proj: Optional[int], state_is_tuple: bool = True) -> Tuple[Any, int]:
    """Returns (state_size, output_size) of an LSTM cell."""
    output = num_proj if num_proj else num_units
    return LSTMStateTuple(num_units, output) if state_is_tuple else num_units + output, output


class Peepholes(NamedTuple):
    """Weights of the memory in the gates, each of shape [num_units]."""

    forget: Any
    input: Any
    output: Any


def peepholes(
    num_units: int, dtype: Any, names: Tuple[str, str, str] = ("w_f_diag", "w_i_diag", "w_o_diag")
) -> Peepholes:
    """Makes the variables of peepholes in the open scope."""
    return Peepholes(*[tf.get_variable(name, shape=[num_units], dtype=dtype) for name in names])


def lstm_step(
    gates: Tuple[Any, Any, Any, Any],
    memory: Any,
    forget_bias: Any,
    activation: Callable[[Any], Any],
    holes: Optional[Peepholes] = None,
    clip: Optional[float] = None,
    memory_norm: Optional[Callable[[Any], Any]] = None,
) -> Tuple[Any, Any]:
    """One step of an LSTM.

    Args:
      gates: input gate, new input, forget gate, output gate, before their non-linearity, each [batch, units].
      memory: [batch, units].
      clip: the new memory is kept within [-clip, clip].

    Returns:
      (new memory, output), each [batch, units].
    """
    i, j, f, o = gates
    f = f + forget_bias
    if holes is not None:
        f, i = f + holes.forget * memory, i + holes.input * memory
    new = tf.sigmoid(f) * memory + tf.sigmoid(i) * activation(j)
    if memory_norm is not None:
        new = memory_norm(new)
    if clip is not None:
        new = tf.clip_by_value(new, -clip, clip)
    if holes is not None:
        o = o + holes.output * new
    return new, tf.sigmoid(o) * activation(new)


def clipped(x: Any, bound: Optional[float]) -> Any:
    """Returns `x` within [-bound, bound]; as it is where there is no bound."""
    return x if bound is None else tf.clip_by_value(x, -bound, bound)


def layer_norm(x: Any, scope: str, gain: float, shift: float, dtype: Any = tf.float32) -> Any:
    """Returns `x` [batch, n] with mean 0 and variance 1 in each row, scaled and shifted by variables in `scope`."""
    with tf.variable_scope(scope):
        gamma = tf.get_variable("gamma", shape=x.shape[-1:], initializer=tf.constant_initializer(gain), dtype=dtype)
        beta = tf.get_variable("beta", shape=x.shape[-1:], initializer=tf.constant_initializer(shift), dtype=dtype)
        mean, variance = tf.nn.moments(x, [1], keep_dims=True)
        return tf.nn.batch_normalization(x, mean, variance, beta, gamma, _LAYER_NORM_EPSILON)


def in_shards(name: str, shape: Tuple[int, int], dtype: Any, count: int) -> Any:
    """Makes a matrix of `count` variables name_0, name_1 ... that lie one below the other; the first are the longer.

    Raises:
      ValueError: there are fewer rows than shards.
    """
    rows, columns = shape
    if count > rows:
        raise ValueError("Too many shards: shape={}, num_shards={}".format(list(shape), count))
    share, more = divmod(rows, count)
    shards = [
        tf.get_variable("{}_{}".format(name, i), [share + (1 if i < more else 0), columns], dtype=dtype)
        for i in range(count)
    ]
    if count == 1:
        return shards[0]
    whole_name = "{}/{}/concat:0".format(tf.get_variable_scope().name, name)
    for made in tf.get_collection(tf.GraphKeys.CONCATENATED_VARIABLES):
        if made.name == whole_name:
            return made
    whole = tf.concat(shards, 0, name=name + "/concat")
    tf.add_to_collection(tf.GraphKeys.CONCATENATED_VARIABLES, whole)
    return whole
