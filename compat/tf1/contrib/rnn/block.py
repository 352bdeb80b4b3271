"""Cells of tf.contrib.rnn with a fused kernel: LSTMBlockCell, LSTMBlockFusedCell and GRUBlockCell."""
import abc
from typing import Any, Optional, Tuple

from legacy_towers.compat.tf1.contrib.private import rnn_gradients
from legacy_towers.compat.tf1.contrib.rnn.parts import LayerRNNCell, LSTMStateTuple
from legacy_towers.compat.tf1.contrib.rnn.small_cells import known_width
from legacy_towers.compat.versions import tf

rnn_gradients.register()
_NO_CLIP = -1.0


class LSTMBlockCell(LayerRNNCell):
    """BasicLSTMCell as one op."""

    def __init__(
        self,
        num_units: int,
        forget_bias: float = 1.0,
        cell_clip: Optional[float] = None,
        use_peephole: bool = False,
        dtype: Any = None,
        reuse: Any = None,
        name: str = "lstm_cell",
    ) -> None:
        super().__init__(_reuse=reuse, dtype=dtype, name=name)
        self._num_units = num_units
        self._forget_bias = forget_bias
        self._use_peephole = use_peephole
        self._cell_clip = _NO_CLIP if cell_clip is None else cell_clip
        self.input_spec = tf.layers.InputSpec(ndim=2)

    @property
    def state_size(self) -> Any:
        return LSTMStateTuple(self._num_units, self._num_units)

    @property
    def output_size(self) -> int:
        return self._num_units

    def build(self, inputs_shape: Any) -> None:
        """Creates the variables "kernel", "bias" and, with peepholes, "w_i_diag", "w_f_diag", "w_o_diag"."""
        self._kernel, self._bias, self._peephole_weights = _lstm_weights(self, known_width(inputs_shape))
        self.built = True

    def call(self, inputs: Any, state: Any) -> Tuple[Any, Any]:
        """Runs one step on `inputs` [batch, n]."""
        if len(state) != 2:
            raise ValueError("Expecting state to be a tuple with length 2.")
        zeros = None if self._peephole_weights else tf.zeros([self._num_units], dtype=self.dtype or inputs.dtype)
        wci, wcf, wco = self._peephole_weights or [zeros] * 3
        outputs = tf.raw_ops.LSTMBlockCell(
            x=inputs,
            cs_prev=state[0],
            h_prev=state[1],
            w=self._kernel,
            wci=wci,
            wcf=wcf,
            wco=wco,
            b=self._bias,
            forget_bias=self._forget_bias,
            cell_clip=self._cell_clip,
            use_peephole=self._use_peephole,
        )
        return outputs.h, LSTMStateTuple(outputs.cs, outputs.h)


class LSTMBlockWrapper(tf.layers.Layer):
    """Base of fused LSTM layers; a subclass computes all time steps in `_call_cell`."""

    @property
    @abc.abstractmethod
    def num_units(self) -> int:
        """The number of units."""

    @abc.abstractmethod
    def _call_cell(
        self, inputs: Any, initial_cell_state: Any, initial_output: Any, dtype: Any, sequence_length: Any
    ) -> Tuple[Any, Any]:
        """Returns (cell states, outputs), each [time, batch, units]."""

    def call(
        self, inputs: Any, initial_state: Any = None, dtype: Any = None, sequence_length: Any = None
    ) -> Tuple[Any, Any]:
        """Runs all time steps.

        Args:
          inputs: [time, batch, n], or a list of [batch, n].
          initial_state: (cell state, output), each [batch, units]; zeros of `dtype` by default.
          sequence_length: int [batch]; outputs after a sequence's end are 0.

        Returns:
          (outputs in the form of `inputs`, the final LSTMStateTuple).

        Raises:
          ValueError: neither `initial_state` nor `dtype` is given, or `initial_state` is not a pair.
        """
        is_list = isinstance(inputs, list)
        if is_list:
            inputs = tf.stack(inputs)
        shape = inputs.shape.with_rank(3)
        steps, batch_size = [
            tf.dimension_value(shape[axis]) or tf.shape(inputs)[axis] for axis in (0, 1)
        ]
        if initial_state is None:
            if dtype is None:
                raise ValueError("Either initial_state or dtype needs to be specified")
            zeros = tf.zeros(tf.stack([batch_size, self.num_units]), dtype=dtype)
            initial_state = (zeros, zeros)
        elif len(initial_state) != 2:
            raise ValueError("Expecting initial_state to be a tuple with length 2 or None")
        dtype = dtype or initial_state[0].dtype
        if sequence_length is not None:
            sequence_length = tf.convert_to_tensor(sequence_length)
        memories, outputs = self._call_cell(inputs, initial_state[0], initial_state[1], dtype, sequence_length)
        if sequence_length is None:
            last = LSTMStateTuple(memories[-1], outputs[-1])
        else:
            mask = tf.transpose(tf.sequence_mask(sequence_length, steps, dtype=dtype))
            outputs *= tf.expand_dims(mask, -1)
            # The initial state is prepended: it is the final state of a sequence of length 0.
            indices = tf.stack([sequence_length, tf.range(batch_size, dtype=sequence_length.dtype)], axis=1)
            last = LSTMStateTuple(
                *[
                    tf.gather_nd(tf.concat([tf.expand_dims(first, 0), all_steps], 0), indices)
                    for first, all_steps in zip(initial_state, (memories, outputs))
                ]
            )
        return tf.unstack(outputs) if is_list else outputs, last


class LSTMBlockFusedCell(LSTMBlockWrapper):
    """LSTM layer that runs all time steps in one op."""

    def __init__(
        self,
        num_units: int,
        forget_bias: float = 1.0,
        cell_clip: Optional[float] = None,
        use_peephole: bool = False,
        reuse: Any = None,
        dtype: Any = None,
        name: str = "lstm_fused_cell",
    ) -> None:
        super().__init__(_reuse=reuse, name=name, dtype=dtype)
        self._num_units = num_units
        self._forget_bias = forget_bias
        self._cell_clip = _NO_CLIP if cell_clip is None else cell_clip
        self._use_peephole = use_peephole
        self.input_spec = tf.layers.InputSpec(ndim=3)

    @property
    def num_units(self) -> int:
        """The number of units."""
        return self._num_units

    def build(self, input_shape: Any) -> None:
        """Creates the same variables as LSTMBlockCell."""
        self._kernel, self._bias, self._peephole_weights = _lstm_weights(self, known_width(input_shape))
        self.built = True

    def _call_cell(
        self,
        inputs: Any,
        initial_cell_state: Any = None,
        initial_output: Any = None,
        dtype: Any = None,
        sequence_length: Any = None,
    ) -> Tuple[Any, Any]:
        steps = tf.shape(inputs)[0] if sequence_length is None else tf.reduce_max(sequence_length)
        wci, wcf, wco = self._peephole_weights or [tf.zeros([self._num_units], dtype=dtype)] * 3
        outputs = tf.raw_ops.BlockLSTM(
            seq_len_max=tf.cast(steps, tf.int64),
            x=inputs,
            cs_prev=initial_cell_state,
            h_prev=initial_output,
            w=self._kernel,
            wci=wci,
            wcf=wcf,
            wco=wco,
            b=self._bias,
            forget_bias=self._forget_bias,
            cell_clip=self._cell_clip,
            use_peephole=self._use_peephole,
        )
        return outputs.cs, outputs.h


class GRUBlockCell(LayerRNNCell):
    """GRUCell as one op; its variables are "w_ru", "b_ru", "w_c" and "b_c"."""

    _NAMES = ("w_ru", "b_ru", "w_c", "b_c")

    def __init__(
        self,
        num_units: Optional[int] = None,
        cell_size: Optional[int] = None,
        reuse: Any = None,
        name: str = "gru_cell",
    ) -> None:
        super().__init__(_reuse=reuse, name=name)
        if (cell_size is None) == (num_units is None):
            raise ValueError("Exactly one of num_units or cell_size must be provided.")
        self._cell_size: int = cell_size if num_units is None else num_units  # type: ignore
        self.input_spec = tf.layers.InputSpec(ndim=2)

    @property
    def state_size(self) -> int:
        return self._cell_size

    @property
    def output_size(self) -> int:
        return self._cell_size

    def build(self, input_shape: Any) -> None:
        """Creates a kernel and a bias for the gates and for the candidate."""
        units, rows = self._cell_size, known_width(input_shape) + self._cell_size
        gate_kernel, gate_bias, kernel, bias = self._NAMES
        self._gate_kernel = self.add_weight(gate_kernel, [rows, 2 * units])
        self._gate_bias = self.add_weight(gate_bias, [2 * units], initializer=tf.constant_initializer(1.0))
        self._candidate_kernel = self.add_weight(kernel, [rows, units])
        self._candidate_bias = self.add_weight(bias, [units], initializer=tf.constant_initializer(0.0))
        self.built = True

    def call(self, inputs: Any, h_prev: Any) -> Tuple[Any, Any]:
        """Runs one step on `inputs` [batch, n] from `h_prev` [batch, units]."""
        if h_prev.shape.with_rank(2)[1] != self._cell_size:
            raise ValueError("Shape of h_prev[1] incorrect: {} vs {}".format(self._cell_size, h_prev.shape[1]))
        outputs = tf.raw_ops.GRUBlockCell(
            x=inputs,
            h_prev=h_prev,
            w_ru=self._gate_kernel,
            w_c=self._candidate_kernel,
            b_ru=self._gate_bias,
            b_c=self._candidate_bias,
        )
        return outputs.h, outputs.h


class GRUBlockCellV2(GRUBlockCell):
    """GRUBlockCell whose variables have the names of those of GRUCell."""

    _NAMES = ("gates/kernel", "gates/bias", "candidate/kernel", "candidate/bias")


def _lstm_weights(layer: Any, input_size: int) -> Tuple[Any, Any, Any]:
    units = layer._num_units
    kernel = layer.add_weight("kernel", [input_size + units, 4 * units])
    bias = layer.add_weight("bias", [4 * units], initializer=tf.constant_initializer(0.0))
    names = ("w_i_diag", "w_f_diag", "w_o_diag") if layer._use_peephole else ()
    return kernel, bias, [layer.add_weight(name, [units]) for name in names]
