"""LSTM cells of tf.contrib.rnn that recur over time and frequency, for speech (https://arxiv.org/abs/1602.08148)."""
import collections
from typing import Any, Dict, List, Optional, Sequence, Tuple

from legacy_towers.compat.tf1.contrib.rnn.parts import SizedCell, clipped, get_sharded_variable, lstm_step, peepholes
from legacy_towers.compat.tf1.core.linear import width
from legacy_towers.compat.versions import tf


class TimeFreqLSTMCell(SizedCell):
    """Time-frequency LSTM cell: each time step runs over windows of the input's frequencies.

    The state [batch, 2 * num_units * windows] has the cell state and the output of each window. As in TensorFlow 1.x,
    `state_size` is 2 * num_units: with several windows, create the zero state with tf.zeros instead of `zero_state`.

    Args:
      feature_size: frequencies in a window.
      frequency_skip: frequencies from the start of one window to the next.
    """

    def __init__(
        self,
        num_units: int,
        use_peepholes: bool = False,
        cell_clip: Optional[float] = None,
        initializer: Any = None,
        num_unit_shards: int = 1,
        forget_bias: float = 1.0,
        feature_size: Optional[int] = None,
        frequency_skip: int = 1,
        reuse: Any = None,
    ) -> None:
        super().__init__(_reuse=reuse)
        self._num_units = num_units
        self._use_peepholes = use_peepholes
        self._cell_clip = cell_clip
        self._num_unit_shards = num_unit_shards
        self._forget_bias = forget_bias
        self._feature_size = feature_size
        self._frequency_skip = frequency_skip
        self._state_size, self._output_size = 2 * num_units, num_units

    def call(self, inputs: Any, state: Any) -> Tuple[Any, Any]:
        """Runs one step on `inputs` [batch, frequencies]."""
        units = self._num_units
        windows = _windows(inputs, 0, width(inputs), self._feature_size, self._frequency_skip)
        kernel_shape = (width(windows[0]) + 2 * units, 4 * units)
        kernel = get_sharded_variable("W", kernel_shape, inputs.dtype, self._num_unit_shards)
        bias = tf.get_variable("B", shape=[4 * units], initializer=tf.zeros_initializer(), dtype=inputs.dtype)
        names = ("W_F_diag", "W_I_diag", "W_O_diag")
        peephole_weights = peepholes(units, inputs.dtype, names) if self._use_peepholes else None
        below = tf.zeros([_batch_size(inputs), units], inputs.dtype)
        outputs, states = [], []
        for number, window in enumerate(windows):
            memory = state[:, 2 * number * units : (2 * number + 1) * units]
            output = state[:, (2 * number + 1) * units : (2 * number + 2) * units]
            gate_inputs = tf.nn.bias_add(tf.matmul(tf.concat([window, output, below], 1), kernel), bias)
            gates = tf.split(gate_inputs, 4, axis=1)
            new, below = lstm_step(gates, memory, self._forget_bias, tf.tanh, peephole_weights, self._cell_clip)
            outputs.append(below)
            states.extend([new, below])
        return tf.concat(outputs, 1), tf.concat(states, 1)


class GridLSTMCell(SizedCell):
    """Grid LSTM cell over time and frequency (https://arxiv.org/abs/1507.01526).

    Args:
      share_time_frequency_weights: whether the LSTMs over time and over frequency share their variables.
      feature_size: frequencies in a window.
      frequency_skip: frequencies from the start of one window to the next.
      num_frequency_blocks: the number of windows in each block; each block has its own variables.
      start_freqindex_list: the first frequency of each block; None: one block from 0.
      end_freqindex_list: the end of each block.
      couple_input_forget_gates: whether the forget gate is 1 minus the input gate.
      state_is_tuple: whether the state is a namedtuple, `state_tuple_type`.

    Raises:
      ValueError: `num_frequency_blocks` is not given.
    """

    def __init__(
        self,
        num_units: int,
        use_peepholes: bool = False,
        share_time_frequency_weights: bool = False,
        cell_clip: Optional[float] = None,
        initializer: Any = None,
        num_unit_shards: int = 1,
        forget_bias: float = 1.0,
        feature_size: Optional[int] = None,
        frequency_skip: Optional[int] = None,
        num_frequency_blocks: Optional[Sequence[int]] = None,
        start_freqindex_list: Optional[Sequence[int]] = None,
        end_freqindex_list: Optional[Sequence[int]] = None,
        couple_input_forget_gates: bool = False,
        state_is_tuple: bool = True,
        reuse: Any = None,
    ) -> None:
        super().__init__(_reuse=reuse)
        if num_frequency_blocks is None:
            raise ValueError("Must specify num_frequency_blocks")
        self._num_units = num_units
        self._use_peepholes = use_peepholes
        self._share_time_frequency_weights = share_time_frequency_weights
        self._cell_clip = cell_clip
        self._num_unit_shards = num_unit_shards
        self._forget_bias = forget_bias
        self._feature_size = feature_size
        self._frequency_skip = frequency_skip
        self._num_frequency_blocks = [int(count) for count in num_frequency_blocks]
        self._starts, self._ends = start_freqindex_list, end_freqindex_list
        self._couple_input_forget_gates = couple_input_forget_gates
        self._state_is_tuple = state_is_tuple
        total = sum(self._num_frequency_blocks)
        self._state_tuple_type: Any = None
        self._state_size: Any = 2 * num_units * total
        self._output_size = 2 * num_units * total
        if state_is_tuple:
            self._use_state_tuple("GridLSTMStateTuple", ["state"])

    @property
    def state_tuple_type(self) -> Any:
        """The namedtuple class of the state: the cell state (_c) and the output (_m) of each window of each block."""
        return self._state_tuple_type

    def call(self, inputs: Any, state: Any) -> Tuple[Any, Any]:
        """Runs one step on `inputs` [batch, frequencies]."""
        outputs, states = self._all_blocks(self._blocks(inputs), state, "state")
        state = self._state_tuple_type(*states) if self._state_is_tuple else tf.concat(states, 1)
        return tf.concat(outputs, 1), state

    def _use_state_tuple(self, type_name: str, prefixes: List[str]) -> None:
        names = [
            "{}_f{:02d}_b{:02d}_{}".format(prefix, window, block, part)
            for prefix in prefixes
            for block, count in enumerate(self._num_frequency_blocks)
            for window in range(count)
            for part in "cm"
        ]
        self._state_tuple_type = collections.namedtuple(type_name, names)  # type: ignore[misc]
        self._state_size = self._state_tuple_type(*[self._num_units] * len(names))

    def _all_blocks(self, blocks: List[List[Any]], state: Any, prefix: str) -> Tuple[List[Any], List[Any]]:
        outputs: List[Any] = []
        states: List[Any] = []
        for block, windows in enumerate(blocks):
            block_outputs, block_states = self._block(windows, block, state, prefix)
            outputs.extend(block_outputs)
            states.extend(block_states)
        return outputs, states

    def _block(self, windows: List[Any], block: int, state: Any, prefix: str) -> Tuple[List[Any], List[Any]]:
        weights = _GridWeights(self, windows[0], block)
        zeros = tf.zeros([_batch_size(windows[0]), self._num_units], windows[0].dtype)
        frequency = (zeros, zeros)  # the cell state and the output of the window below
        outputs, states = [], []
        for number, window in enumerate(windows):
            time = self._past(state, number, block, prefix)
            frequency, time = self._step(weights, window, frequency, time)
            outputs.extend([time[1], frequency[1]])
            states.extend(time)
        return outputs, states

    def _past(self, state: Any, number: int, block: int, prefix: str) -> Tuple[Any, Any]:
        if self._state_is_tuple:
            name = "{}_f{:02d}_b{:02d}".format(prefix, number, block)
            return getattr(state, name + "_c"), getattr(state, name + "_m")
        # As in TensorFlow 1.x the offset does not depend on the block: all blocks read the same columns.
        start, units = 2 * number * self._num_units, self._num_units
        return state[:, start : start + units], state[:, start + units : start + 2 * units]

    def _step(self, weights: "_GridWeights", window: Any, frequency: Any, time: Any) -> Tuple[Any, Any]:
        x = tf.concat([window, time[1], frequency[1]], 1)
        gates = {"freq": weights.gates("f", x)}
        gates["time"] = gates["freq"] if self._share_time_frequency_weights else weights.gates("t", x)
        memories = []
        for axis, past in (("freq", frequency[0]), ("time", time[0])):
            i, j, f, _ = gates[axis]
            write = tf.sigmoid(i + weights.peephole_terms("I", axis, frequency[0], time[0]))
            if self._couple_input_forget_gates:
                keep = 1.0 - write
            else:
                keep = tf.sigmoid(f + self._forget_bias + weights.peephole_terms("F", axis, frequency[0], time[0]))
            memories.append(clipped(keep * past + write * tf.tanh(j), self._cell_clip))
        outputs = [
            tf.sigmoid(gates[axis][3] + weights.peephole_terms("O", axis, *memories)) * tf.tanh(memory)
            for axis, memory in zip(("freq", "time"), memories)
        ]
        return (memories[0], outputs[0]), (memories[1], outputs[1])

    def _blocks(self, inputs: Any, offset: int = 0) -> List[List[Any]]:
        frequencies = width(inputs)
        if offset > 0:
            inputs = tf.pad(inputs, [[0, 0], [0, offset]])
        elif offset < 0:
            inputs, offset = tf.pad(inputs, [[0, 0], [-offset, 0]]), 0
        counts = self._num_frequency_blocks
        starts, ends = self._starts or [0], self._ends if self._starts else [frequencies]
        if not len(starts) == len(ends or []) == len(counts):
            raise ValueError(
                "num_frequency_blocks {}, start_freqindex_list {} and end_freqindex_list {} must have the same "
                "length".format(counts, self._starts, self._ends)
            )
        blocks = []
        for start, end, count in zip(starts, ends or [], counts):
            windows = _windows(inputs, start + offset, end - start, self._feature_size, self._frequency_skip)
            if len(windows) != count:
                raise ValueError(
                    "Invalid num_frequency_blocks, requires {} but gets {}, please check the input size and filter "
                    "config are correct.".format(count, len(windows))
                )
            blocks.append(windows)
        return blocks


class BidirectionalGridLSTMCell(GridLSTMCell):
    """Bidirectional grid LSTM cell: runs over the frequencies forwards and backwards.

    Args:
      backward_slice_offset: shift of the backward blocks, in frequencies.
    """

    def __init__(
        self,
        num_units: int,
        use_peepholes: bool = False,
        share_time_frequency_weights: bool = False,
        cell_clip: Optional[float] = None,
        initializer: Any = None,
        num_unit_shards: int = 1,
        forget_bias: float = 1.0,
        feature_size: Optional[int] = None,
        frequency_skip: Optional[int] = None,
        num_frequency_blocks: Optional[Sequence[int]] = None,
        start_freqindex_list: Optional[Sequence[int]] = None,
        end_freqindex_list: Optional[Sequence[int]] = None,
        couple_input_forget_gates: bool = False,
        backward_slice_offset: int = 0,
        reuse: Any = None,
    ) -> None:
        super().__init__(
            num_units,
            use_peepholes,
            share_time_frequency_weights,
            cell_clip,
            initializer,
            num_unit_shards,
            forget_bias,
            feature_size,
            frequency_skip,
            num_frequency_blocks,
            start_freqindex_list,
            end_freqindex_list,
            couple_input_forget_gates,
            True,
            reuse,
        )
        self._backward_slice_offset = int(backward_slice_offset)
        self._output_size *= 2
        self._use_state_tuple("BidirectionalGridLSTMStateTuple", ["fwd_state", "bwd_state"])

    def call(self, inputs: Any, state: Any) -> Tuple[Any, Any]:
        """Runs one step on `inputs` [batch, frequencies]."""
        forward = self._blocks(inputs)
        backward = self._blocks(inputs, self._backward_slice_offset) if self._backward_slice_offset else forward
        with tf.variable_scope("fwd"):
            fw_outputs, fw_states = self._all_blocks(forward, state, "fwd_state")
        with tf.variable_scope("bwd"):
            bw_outputs, bw_states = self._all_blocks([windows[::-1] for windows in backward], state, "bwd_state")
        return tf.concat(fw_outputs + bw_outputs, 1), self._state_tuple_type(*fw_states + bw_states)


class _GridWeights:
    """The variables of one block of a grid LSTM: a kernel and a bias for each axis, and the peepholes."""

    def __init__(self, cell: Any, window: Any, block: int) -> None:
        units, dtype = cell._num_units, window.dtype
        self._coupled = cell._couple_input_forget_gates
        self._shared = cell._share_time_frequency_weights
        columns = (3 if self._coupled else 4) * units
        self._maps = {}
        for axis in "f" if self._shared else "ft":
            shape = (width(window) + 2 * units, columns)
            kernel = get_sharded_variable("W_{}_{}".format(axis, block), shape, dtype, cell._num_unit_shards)
            name = "B_{}_{}".format(axis, block)
            bias = tf.get_variable(name, shape=[columns], initializer=tf.zeros_initializer(), dtype=dtype)
            self._maps[axis] = (kernel, bias)
        self._peephole_weights: Dict[Tuple[str, str, str], Any] = {}
        if cell._use_peepholes:
            for axis in ("freq",) if self._shared else ("freq", "time"):
                for gate in "IO" if self._coupled else "FIO":
                    for memory in "ft":
                        name = "W_{}_diag_{}{}_{}".format(gate, axis, memory, block)
                        self._peephole_weights[gate, axis, memory] = tf.get_variable(name, shape=[units], dtype=dtype)

    def gates(self, axis: str, x: Any) -> Tuple[Any, Any, Any, Any]:
        """Returns (input gate, new input, forget gate or None if coupled, output gate) before their activations."""
        kernel, bias = self._maps[axis]
        gate_inputs = tf.nn.bias_add(tf.matmul(x, kernel), bias)
        if self._coupled:
            i, j, o = tf.split(gate_inputs, 3, axis=1)
            return i, j, None, o
        i, j, f, o = tf.split(gate_inputs, 4, axis=1)
        return i, j, f, o

    def peephole_terms(self, gate: str, axis: str, frequency_memory: Any, time_memory: Any) -> Any:
        """Returns the peephole terms of a gate; 0.0 without peepholes."""
        if not self._peephole_weights:
            return 0.0
        axis = "freq" if self._shared else axis
        of_frequency, of_time = self._peephole_weights[gate, axis, "f"], self._peephole_weights[gate, axis, "t"]
        return of_frequency * frequency_memory + of_time * time_memory


def _windows(inputs: Any, start: int, length: int, size: Optional[int], skip: Optional[int]) -> List[Any]:
    if not size or not skip:
        raise ValueError("feature_size and frequency_skip must be given: {}, {}".format(size, skip))
    count = int((length - size) / skip) + 1
    return [inputs[:, start + i * skip : start + i * skip + size] for i in range(count)]


def _batch_size(x: Any) -> Any:
    return tf.dimension_value(x.shape[0]) or tf.shape(x)[0]
