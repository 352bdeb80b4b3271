"""Dimensions that are whole floats, such as `units * 0.5` or the result of np.ceil, which TensorFlow 1.15 accepts."""
import contextlib
import functools
from typing import Any, Iterator

import numpy as np

from legacy_towers.compat.versions import tf


@contextlib.contextmanager
def float_dimensions_allowed() -> Iterator[None]:
    """Makes all shapes accept whole floats: set_shape, TensorShape, the shapes of features.

    On TensorFlow 1.15 it changes nothing.
    """
    # Every shape consists of Dimensions, which accept only values with an __index__. Tried on 2.13 and 2.21; ends when
    # tf.compat.v1 does.
    before = tf.Dimension.__init__

    @functools.wraps(before)
    def with_whole_floats(self: Any, value: Any) -> None:
        is_whole = isinstance(value, (float, np.floating)) and float(value).is_integer()
        before(self, int(value) if is_whole else value)

    if tf.__version__.startswith("1.15"):
        yield
        return
    tf.Dimension.__init__ = with_whole_floats
    try:
        yield
    finally:
        tf.Dimension.__init__ = before
