"""Shapes as in TensorFlow 1.x: whole floats, static shapes, and its functions for the shapes of custom operations."""
import functools
from typing import Any, Callable, Optional

import numpy as np

from legacy_towers.compat.versions import tf


def get_variable(name: Any, shape: Any = None, *arguments: Any, **options: Any) -> Any:
    """Returns tf.get_variable; dimensions may be whole floats, such as `units * 0.5` or the result of np.ceil."""
    return tf.get_variable(name, _in_whole_numbers(shape), *arguments, **options)


def placeholder(dtype: Any, shape: Any = None, name: Optional[str] = None) -> Any:
    """Returns tf.placeholder; dimensions may be whole floats."""
    return tf.placeholder(dtype, _in_whole_numbers(shape), name)


def placeholder_with_default(input: Any, shape: Any, name: Optional[str] = None) -> Any:  # noqa: A002
    """Returns tf.placeholder_with_default; dimensions may be whole floats."""
    return tf.placeholder_with_default(input, _in_whole_numbers(shape), name)


@functools.wraps(tf.linspace)
def linspace(start: Any, stop: Any, num: Any, *arguments: Any, **options: Any) -> Any:
    """Returns tf.linspace; where the rank of `start` is unknown, the result has the static shape [num], as in 1.15."""
    result = tf.linspace(start, stop, num, *arguments, **options)
    if result.shape.ndims is None:
        result.set_shape([tf.get_static_value(num)])
    return result


def _in_whole_numbers(shape: Any) -> Any:
    if type(shape) in (list, tuple):
        return [_in_whole_numbers(dimension) for dimension in shape]
    # np.float64 is a subclass of float, the other floating types of numpy are not.
    return int(shape) if isinstance(shape, (float, np.floating)) and float(shape).is_integer() else shape


def scalar() -> Any:
    """Returns the shape of a scalar."""
    return tf.TensorShape([])


def vector(length: Any) -> Any:
    """Returns the shape [length]."""
    return tf.TensorShape([length])


def matrix(rows: Any, cols: Any) -> Any:
    """Returns the shape [rows, cols]."""
    return tf.TensorShape([rows, cols])


class RegisterShape:
    """A decorator for shape functions in Python; it has no effect, since TensorFlow 1.0 and later do not call them."""

    def __init__(self, op_type: str) -> None:
        self.op_type = op_type

    def __call__(self, f: Optional[Callable[..., Any]]) -> Optional[Callable[..., Any]]:
        return f
