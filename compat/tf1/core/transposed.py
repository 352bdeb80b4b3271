"""Transposed convolutions whose result has the static shape `output_shape`, as in TensorFlow 1.x.

In 2.x the static batch size of the result is that of the input, so it may be unknown although output_shape has it.
Generator networks read the shape of the result with get_shape().
"""
import functools
from typing import Any

from legacy_towers.compat.tf1.private.known_shapes import constant_value_as_shape
from legacy_towers.compat.versions import tf


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
    """Returns `result` with the static value of the tensor `output_shape` as its static shape.

    By default that tensor is the first input of the operation: a new one would take a name in the script's graph.
    """
    # Dimensions of output_shape that are known only when the graph runs keep the value that TensorFlow inferred.
    result.set_shape(constant_value_as_shape(result.op.inputs[0] if output_shape is None else output_shape))
    return result
