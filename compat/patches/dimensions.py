"""Dimensions as on TensorFlow 1.15.

Whole floats such as `units * 0.5` are accepted, each dimension is true, and arrays have powers of dimensions.
"""
import contextlib
import functools
import sys
from typing import Any, Callable, Dict, Iterator

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

    Dimensions of TensorFlow 1.15 have no truth value, and so count as true, in the functions of numpy that the script
    calls, too: np.nonzero(x.shape). On TensorFlow 1.15 it changes nothing.

    Args:
      is_of_script: returns whether the patch applies to a file; TensorFlow's own files test dimensions, too.
    """
    # Tried on 2.13 and 2.21; ends when tf.compat.v1 does.
    before = vars(tf.Dimension).get("__bool__")
    if before is None:
        yield
        return

    def is_true(self: Any) -> bool:
        return bool(before(self)) or is_of_script(_first_outside_numpy(sys._getframe(1)).f_code.co_filename)

    tf.Dimension.__bool__ = is_true
    try:
        yield
    finally:
        tf.Dimension.__bool__ = before


def _first_outside_numpy(frame: Any) -> Any:
    """Returns the frame that called numpy, or the shim of it, if `frame` belongs to one of them."""
    while frame.f_back is not None and "numpy" in frame.f_globals.get("__name__", "").split("."):
        frame = frame.f_back
    return frame


@contextlib.contextmanager
def powers_of_dimensions() -> Iterator[None]:
    """Makes `array ** x.shape[1]` the power of numpy 1.18, which has it of an exponent of 2, and of 0 and 1 for floats.

    numpy 2.2 and newer compute only the powers of its own and of Python's numbers so. On TensorFlow 1.15 it changes
    nothing.
    """
    # Tried on 2.13 and 2.21 with numpy 1.24 and 2.4; ends when tf.compat.v1 does.
    if tf.__version__.startswith("1.15"):
        yield
        return

    def with_powers(self: Any, ufunc: Any, method: str, *inputs: Any, **options: Any) -> Any:
        if ufunc is np.power and method == "__call__" and isinstance(inputs[0], np.ndarray) and inputs[1] is self:
            simple = _POWERS.get(self.value) if inputs[0].dtype.kind in "fc" or self.value == 2 else None
            if simple is not None and inputs[0].dtype.kind != "O":
                return simple(inputs[0], **options)
        return getattr(ufunc, method)(*map(_as_object, inputs), **options)

    tf.Dimension.__array_ufunc__ = with_powers
    try:
        yield
    finally:
        del tf.Dimension.__array_ufunc__


# Exponent -> the function that computes the power.
_POWERS: Dict[int, Callable[..., Any]] = {
    0: lambda x, **options: np.power(x, 0, **options), 1: np.positive, 2: np.square,
}  # fmt: skip


def _as_object(value: Any) -> Any:
    """Returns a dimension as the array of objects that numpy makes of it; other values as they are."""
    if not isinstance(value, tf.Dimension):
        return value
    made = np.empty((), object)
    made[()] = value
    return made
