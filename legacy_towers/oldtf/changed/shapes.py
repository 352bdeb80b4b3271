"""What tensorflow.python.framework had for the shapes of own operations."""
from typing import Any, Callable, Optional

from legacy_towers.compat import tf


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
