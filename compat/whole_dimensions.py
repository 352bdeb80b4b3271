"""Dimensions that are floats without a fraction, as of `units * 0.5` or np.ceil: TensorFlow 1.15 took them."""
import contextlib
import functools
from typing import Any, Iterator

import numpy as np

from legacy_towers.compat import tf


@contextlib.contextmanager
def floats_are_taken() -> Iterator[None]:
    """Shapes take such floats while it lasts, whoever makes them: set_shape, TensorShape, the shapes of features.

    On TensorFlow 1.15 it changes nothing.
    """
    # Every shape is made of Dimensions, which take what has an __index__ only. Tried on 2.13 and 2.21; ends when
    # tf.compat.v1 does.
    before = tf.Dimension.__init__

    @functools.wraps(before)
    def made(self: Any, value: Any) -> None:
        is_whole = isinstance(value, (float, np.floating)) and float(value).is_integer()
        before(self, int(value) if is_whole else value)

    if tf.__version__.startswith("1.15"):
        yield
        return
    tf.Dimension.__init__ = made
    try:
        yield
    finally:
        tf.Dimension.__init__ = before
