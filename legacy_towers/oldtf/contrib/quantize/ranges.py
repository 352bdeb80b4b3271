"""Fake quantization of a tensor: rounded to 2^bits values of a range that is kept in two variables."""
from typing import Any, Tuple

from legacy_towers.compat import moving_averages, tf

_DECAY = 0.999


def rounded(
    inputs: Any,
    prefix: str,
    is_training: bool,
    bits: int,
    symmetric: bool,
    is_weight: bool,
    lowest: float = -6.0,
    highest: float = 6.0,
) -> Any:
    """Returns `inputs` rounded.

    Args:
      inputs: float32 tensor of any shape.
      prefix: the scope of the range's variables, min and max.
      is_training: whether the range follows the inputs.
      bits: 2 to 16.
      symmetric: whether the range is as wide below 0 as above it.
      is_weight: the range is that of the inputs now, and the lowest of the 2^bits values is left out; otherwise it is
        a moving average.
      lowest: the range at the beginning.
      highest: likewise.
    """
    with tf.variable_scope(None, default_name=prefix, values=[inputs]) as scope:
        scope.set_partitioner(None)
        minimum, maximum = [_variable(name, value) for name, value in (("min", lowest), ("max", highest))]
        if is_training:
            low, high = _range(inputs, bits, symmetric, is_weight)
            if is_weight:
                minimum = tf.assign(minimum, low, name="AssignMinLast")
                maximum = tf.assign(maximum, high, name="AssignMaxLast")
            else:
                minimum = moving_averages.assign_moving_average(minimum, low, _DECAY, True, "AssignMinEma")
                maximum = moving_averages.assign_moving_average(maximum, high, _DECAY, True, "AssignMaxEma")
        return tf.fake_quant_with_min_max_vars(inputs, minimum, maximum, num_bits=bits, narrow_range=is_weight)


def _variable(name: str, value: float) -> Any:
    return tf.get_variable(
        name,
        shape=[],
        initializer=tf.constant_initializer(value),
        # Twice, as on TensorFlow 1.15: who counts the collection counts the same.
        collections=[tf.GraphKeys.GLOBAL_VARIABLES] * 2,
        trainable=False,
        aggregation=tf.VariableAggregation.MEAN,
    )


def _range(inputs: Any, bits: int, symmetric: bool, is_weight: bool) -> Tuple[Any, Any]:
    low, high = tf.reduce_min(inputs, name="BatchMin"), tf.reduce_max(inputs, name="BatchMax")
    if not symmetric:  # 0 is always in it: what converts the model needs that
        return tf.minimum(low, 0.0), tf.maximum(high, 0.0)
    # Two's complement reaches one further below 0 than above it.
    ratio = -1.0 if is_weight else -((1 << bits) - 2.0) / (1 << bits)
    return tf.minimum(low, high / ratio), tf.maximum(high, low * ratio)
