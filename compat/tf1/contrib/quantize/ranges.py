"""Fake quantization of a tensor: rounds to 2^bits values of a range, which two variables store."""
from typing import Any, Tuple

from legacy_towers.compat.tf1.contrib.private import moving_averages
from legacy_towers.compat.versions import tf

_DECAY = 0.999


def fake_quantize(
    inputs: Any,
    prefix: str,
    is_training: bool,
    bits: int,
    symmetric: bool,
    is_weight: bool,
    lowest: float = -6.0,
    highest: float = 6.0,
) -> Any:
    """Quantizes and dequantizes a tensor.

    Args:
      inputs: float32 tensor of any shape.
      prefix: the scope of the variables of the range, min and max.
      is_training: whether the range is updated.
      bits: the number of bits, 2 to 16.
      symmetric: whether the range is symmetric around 0.
      is_weight: whether the range is the current one of `inputs`, without the lowest of the 2^bits values; otherwise it
        is a moving average.
      lowest: the initial minimum.
      highest: the initial maximum.

    Returns:
      A tensor like `inputs`.
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
        # Added twice, as in TensorFlow 1.15: the collection has the same length.
        collections=[tf.GraphKeys.GLOBAL_VARIABLES] * 2,
        trainable=False,
        aggregation=tf.VariableAggregation.MEAN,
    )


def _range(inputs: Any, bits: int, symmetric: bool, is_weight: bool) -> Tuple[Any, Any]:
    low, high = tf.reduce_min(inputs, name="BatchMin"), tf.reduce_max(inputs, name="BatchMax")
    if not symmetric:  # converters need ranges that include 0
        return tf.minimum(low, 0.0), tf.maximum(high, 0.0)
    # Two's complement has one more negative than positive value.
    ratio = -1.0 if is_weight else -((1 << bits) - 2.0) / (1 << bits)
    return tf.minimum(low, high / ratio), tf.maximum(high, low * ratio)
