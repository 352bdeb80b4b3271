"""Shapes with floats in them, as TensorFlow 1.x took, and what it had for the shapes of own operations."""
from typing import Any, Callable, Optional

import numpy as np

from legacy_towers.compat import tf


def get_variable(name: Any, shape: Any = None, *arguments: Any, **options: Any) -> Any:
    """tf.get_variable; dimensions may be floats without a fraction, as of `units * 0.5` or np.ceil."""
    return tf.get_variable(name, _in_whole_numbers(shape), *arguments, **options)


def placeholder(dtype: Any, shape: Any = None, name: Optional[str] = None) -> Any:
    """tf.placeholder; dimensions may be floats without a fraction."""
    return tf.placeholder(dtype, _in_whole_numbers(shape), name)


def placeholder_with_default(input: Any, shape: Any, name: Optional[str] = None) -> Any:  # noqa: A002
    """tf.placeholder_with_default; dimensions may be floats without a fraction."""
    return tf.placeholder_with_default(input, _in_whole_numbers(shape), name)


def _in_whole_numbers(shape: Any) -> Any:
    if type(shape) in (list, tuple):
        return [_in_whole_numbers(dimension) for dimension in shape]
    # numpy's float64 is a float, its others are not.
    return int(shape) if isinstance(shape, (float, np.floating)) and float(shape).is_integer() else shape


def scalar() -> Any:
    """Returns the shape of a number."""
    return tf.TensorShape([])


def vector(length: Any) -> Any:
    return tf.TensorShape([length])


def matrix(rows: Any, cols: Any) -> Any:
    return tf.TensorShape([rows, cols])


class RegisterShape:
    """Took a shape function written in Python; TensorFlow asks for it no more since 1.0, so neither is it here."""

    def __init__(self, op_type: str) -> None:
        self.op_type = op_type

    def __call__(self, f: Optional[Callable[..., Any]]) -> Optional[Callable[..., Any]]:
        return f
