"""The phased LSTM of tf.contrib.rnn, whose units open and close with the time of an event."""
import math
from typing import Any, Optional, Tuple

from legacy_towers.compat import tf
from legacy_towers.oldtf.contrib.rnn.linear import Linear
from legacy_towers.oldtf.contrib.rnn.parts import LSTMStateTuple, SizedCell, lstm_sizes


class PhasedLSTMCell(SizedCell):
    """The phased LSTM (https://arxiv.org/abs/1610.09513).

    Its inputs are a pair: the times [batch, 1], better float64, and the values [batch, n].
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
        """Runs one step on `inputs`, (times, values)."""
        time, x = inputs
        memory, output = state
        seen = [x, output, memory] if self._use_peepholes else [x, output]
        with tf.variable_scope("mask_gates"):
            if self._linear1 is None:
                self._linear1 = Linear(seen, 2 * self._num_units, True)
            input_gate, forget_gate = tf.split(tf.sigmoid(self._linear1(seen)), 2, axis=1)
        with tf.variable_scope("new_input"):
            if self._linear2 is None:
                self._linear2 = Linear([x, output], self._num_units, True)
            new_input = tf.tanh(self._linear2([x, output]))
        new = memory * forget_gate + input_gate * new_input
        seen = [x, output, new] if self._use_peepholes else [x, output]
        with tf.variable_scope("output_gate"):
            if self._linear3 is None:
                self._linear3 = Linear(seen, self._num_units, True)
            new_output = tf.tanh(new) * tf.sigmoid(self._linear3(seen))
        openness = self._openness(time)
        new = openness * new + (1 - openness) * memory
        new_output = openness * new_output + (1 - openness) * output
        return new_output, LSTMStateTuple(new, new_output)

    def _openness(self, time: Any) -> Any:
        shape = [self._num_units]
        period = tf.get_variable("period", shape, initializer=_exponential(*self._period_range))
        start = tf.random_uniform_initializer(0.0, period.initial_value)
        phase = tf.get_variable("phase", shape, initializer=start)
        ratio_on = tf.get_variable(
            "ratio_on",
            shape,
            initializer=tf.constant_initializer(self._ratio_on),
            trainable=self._trainable_ratio_on,
        )
        # Where in its cycle a unit is: 0 to 1. Computed in the dtype of the times.
        shifted = time - tf.cast(phase, time.dtype)
        cycle = tf.cast(period, time.dtype)
        # The gradient goes through a modulus as if it was not there.
        within = tf.cast((tf.stop_gradient(tf.mod(shifted, cycle) - shifted) + shifted) / cycle, tf.float32)
        up = 2 * within / ratio_on
        opened = tf.where(within < ratio_on, 2 - up, self._leak * within)
        return tf.where(within < 0.5 * ratio_on, up, opened)


def _exponential(low: float, high: float) -> Any:
    def initializer(shape: Any, dtype: Any = tf.float32, partition_info: Any = None) -> Any:
        del partition_info
        return tf.exp(tf.random_uniform(shape, math.log(low), math.log(high), dtype))

    return initializer
