"""PhasedLSTMCell of tf.contrib.rnn."""
import math
from typing import Any, Optional, Tuple

from legacy_towers.compat.tf1.contrib.rnn.parts import LSTMStateTuple, SizedCell, lstm_sizes
from legacy_towers.compat.tf1.core.linear import Linear
from legacy_towers.compat.versions import tf


class PhasedLSTMCell(SizedCell):
    """Phased LSTM (https://arxiv.org/abs/1610.09513): a time gate opens each unit periodically.

    The inputs are (time [batch, 1], values [batch, n]). float64 is recommended for the time.

    Args:
      leak: slope of the time gate while it is closed.
      ratio_on: initial value of the fraction of the period in which the gate is open.
      trainable_ratio_on: whether that fraction is trained.
      period_init_min: lower bound of the initial periods, which are log-uniform.
      period_init_max: upper bound of the initial periods.
    """

    def __init__(
        self,
        num_units: int,
        use_peepholes: bool = False,
        leak: float = 0.001,
        ratio_on: float = 0.1,
        trainable_ratio_on: bool = True,
        period_init_min: float = 1.0,
        period_init_max: float = 1000.0,
        reuse: Any = None,
    ) -> None:
        super().__init__(_reuse=reuse, autocast=False)
        self._num_units = num_units
        self._use_peepholes = use_peepholes
        self._leak = leak
        self._ratio_on = ratio_on
        self._trainable_ratio_on = trainable_ratio_on
        self._period_range = (period_init_min, period_init_max)
        self._state_size, self._output_size = lstm_sizes(num_units, None)
        self._linear1: Optional[Linear] = None
        self._linear2: Optional[Linear] = None
        self._linear3: Optional[Linear] = None

    def call(self, inputs: Any, state: Any) -> Tuple[Any, Any]:
        """Runs one step on `inputs`, (time [batch, 1], values [batch, n])."""
        time, x = inputs
        memory, output = state
        gate_inputs = [x, output, memory] if self._use_peepholes else [x, output]
        with tf.variable_scope("mask_gates"):
            if self._linear1 is None:
                self._linear1 = Linear(gate_inputs, 2 * self._num_units, True)
            input_gate, forget_gate = tf.split(tf.sigmoid(self._linear1(gate_inputs)), 2, axis=1)
        with tf.variable_scope("new_input"):
            if self._linear2 is None:
                self._linear2 = Linear([x, output], self._num_units, True)
            new_input = tf.tanh(self._linear2([x, output]))
        new = memory * forget_gate + input_gate * new_input
        gate_inputs = [x, output, new] if self._use_peepholes else [x, output]
        with tf.variable_scope("output_gate"):
            if self._linear3 is None:
                self._linear3 = Linear(gate_inputs, self._num_units, True)
            new_output = tf.tanh(new) * tf.sigmoid(self._linear3(gate_inputs))
        time_gate = self._time_gate(time)
        new = time_gate * new + (1 - time_gate) * memory
        new_output = time_gate * new_output + (1 - time_gate) * output
        return new_output, LSTMStateTuple(new, new_output)

    def _time_gate(self, time: Any) -> Any:
        shape = [self._num_units]
        period = tf.get_variable("period", shape, initializer=_log_uniform_initializer(*self._period_range))
        phase = tf.get_variable(
            "phase", shape, initializer=tf.random_uniform_initializer(0.0, period.initial_value)
        )
        ratio_on = tf.get_variable(
            "ratio_on",
            shape,
            initializer=tf.constant_initializer(self._ratio_on),
            trainable=self._trainable_ratio_on,
        )
        # The position of each unit in its cycle, from 0 to 1, computed in the dtype of the time.
        shifted = time - tf.cast(phase, time.dtype)
        cycle = tf.cast(period, time.dtype)
        # The gradient of the modulo is that of the identity.
        phase_of_cycle = tf.cast((tf.stop_gradient(tf.mod(shifted, cycle) - shifted) + shifted) / cycle, tf.float32)
        rising = 2 * phase_of_cycle / ratio_on
        falling_or_closed = tf.where(phase_of_cycle < ratio_on, 2 - rising, self._leak * phase_of_cycle)
        return tf.where(phase_of_cycle < 0.5 * ratio_on, rising, falling_or_closed)


def _log_uniform_initializer(low: float, high: float) -> Any:
    def initializer(shape: Any, dtype: Any = tf.float32, partition_info: Any = None) -> Any:
        del partition_info
        return tf.exp(tf.random_uniform(shape, math.log(low), math.log(high), dtype))

    return initializer
