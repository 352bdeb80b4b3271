"""Transposed convolutions whose result has the whole static shape that output_shape gives, as in TensorFlow 1.x.

In 2.x the batch of the result is that of the input: unknown where the input's is, although output_shape tells it.
Generators read it back with get_shape() and go on with it.
"""
import functools
from typing import Any

from legacy_towers.compat import tf
from legacy_towers.compat.known_shapes import constant_value_as_shape


@functools.wraps(tf.nn.conv2d_transpose)
def conv2d_transpose(*args: Any, **kwargs: Any) -> Any:
    return _shaped(tf.nn.conv2d_transpose(*args, **kwargs))


@functools.wraps(tf.nn.conv2d_backprop_input)
def conv2d_backprop_input(*args: Any, **kwargs: Any) -> Any:
    return _shaped(tf.nn.conv2d_backprop_input(*args, **kwargs))


@functools.wraps(tf.nn.atrous_conv2d_transpose)
def atrous_conv2d_transpose(*args: Any, **kwargs: Any) -> Any:
    result = tf.nn.atrous_conv2d_transpose(*args, **kwargs)
    given = args[2] if len(args) > 2 else kwargs["output_shape"]
    return _shaped(result, tf.convert_to_tensor(given))


def _shaped(result: Any, output_shape: Any = None) -> Any:
    """Returns `result` with the static shape that the tensor `output_shape` tells.

    Where none is given, it is the first input of the operation: one made here would take a name in the script's graph.
    """
    # What TensorFlow found from the input stands where output_shape is known only when the graph runs.
    result.set_shape(constant_value_as_shape(result.op.inputs[0] if output_shape is None else output_shape))
    return result
