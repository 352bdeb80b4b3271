"""Dimensions as on TensorFlow 1.15: whole floats such as `units * 0.5` are accepted, and each dimension is true."""
import contextlib
import functools
import sys
from typing import Any, Callable, Iterator

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


@contextlib.contextmanager
def dimensions_are_true(is_of_script: Callable[[str], bool]) -> Iterator[None]:
    """Makes unknown dimensions true in the files of a script: in `if x.shape[0]:` and `x.shape[0] or 32`.

    Dimensions of TensorFlow 1.15 have no truth value, and so count as true. On TensorFlow 1.15 it changes nothing.

    Args:
      is_of_script: returns whether the patch applies to a file; TensorFlow's own files test dimensions, too.
    """
    # Tried on 2.13 and 2.21; ends when tf.compat.v1 does.
    before = vars(tf.Dimension).get("__bool__")
    if before is None:
        yield
        return

    def is_true(self: Any) -> bool:
        return is_of_script(sys._getframe(1).f_code.co_filename) or bool(before(self))

    tf.Dimension.__bool__ = is_true
    try:
        yield
    finally:
        tf.Dimension.__bool__ = before
