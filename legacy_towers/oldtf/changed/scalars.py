"""Arithmetic of single numbers of numpy's by the rules of numpy 1, as `scalars_rewriting` puts it into scripts.

A pixel, a loss that a session returned: a number of numpy's beside one of Python's took the wider of their types, and
Python's were int64 and float64. numpy 2 gives numpy's type alone: uint8 200 + 100 is 44 there, and 200 * 300 an error.
"""
import builtins
import operator  # noqa: F401 - scripts' rewritten lines take operator.add from here
from typing import Any, Callable, Dict, Tuple

import numpy as np

from legacy_towers.oldtf.changed.quotients import WholeFloat

# Numbers that one of Python's widens. np.float64 and np.int64 are as wide themselves.
_NARROW = frozenset([getattr(np, "{}int{}".format(sign, bits)) for sign in ("", "u") for bits in (8, 16, 32)]) | {
    np.uint64,
    np.float16,
    np.float32,
}
_WIDE = {kind: np.int64 if issubclass(kind, np.integer) and kind is not np.uint64 else np.float64 for kind in _NARROW}
_WIDE.update({np.int64: np.int64, np.float64: np.float64})
_NUMBERS = frozenset(_WIDE)
_PLAIN = (int, float, WholeFloat)
_OF_NUMPY = _NARROW | {np.ndarray}
_AS_NUMPYS: Dict[type, Callable[..., Any]] = {
    int: np.int64,
    float: np.float64,
    WholeFloat: np.float64,
    complex: np.complex128,
}
# Kinds of one rank do not widen each other's arrays.
_RANKS = {"b": 0, "i": 1, "u": 1, "f": 2, "c": 2}


def arithmetic(operation: Callable[..., Any], left: Any, right: Any) -> Any:
    """Returns operation(left, right), such as operator.mul, of the type that numpy 1 gave it.

    A number of numpy's did not widen an array of its kind: float32 by float64 is float32. A whole number that the
    array's type can't hold did: uint8 by 256 is uint16. numpy 2 alone gives float64 there, and an OverflowError here.
    """
    if type(left) in _OF_NUMPY:
        left, right = _widened(left, right)
    elif type(right) in _OF_NUMPY:
        right, left = _widened(right, left)
    try:
        return operation(left, right)
    except OverflowError:
        if not isinstance(left, np.ndarray) and not isinstance(right, np.ndarray):
            raise
        return operation(*_wide_enough(left, right))


def _widened(left: Any, right: Any) -> Tuple[Any, Any]:
    """Returns both as numpy 1 saw them; `left` is an array or a narrow number."""
    if type(left) is not np.ndarray:
        right = as_wide(right) if type(right) is not np.ndarray else right
        left = _weak(left, right) if type(right) is np.ndarray and right.ndim else left
    elif left.ndim:
        right = _weak(right, left)
    return left, right


def _weak(number: Any, beside: np.ndarray) -> Any:
    if not isinstance(number, (np.number, np.bool_)) or beside.dtype.kind not in _RANKS:
        return number
    return number.item() if _RANKS[number.dtype.kind] <= _RANKS[beside.dtype.kind] else number


def _wide_enough(left: Any, right: Any) -> Any:
    if isinstance(left, np.ndarray):
        return left.astype(np.promote_types(left.dtype, np.min_scalar_type(right))), right
    return left, right.astype(np.promote_types(right.dtype, np.min_scalar_type(left)))


def as_wide(number: Any) -> Any:
    """Returns a number of Python's as numpy 1 took it; anything else as it is."""
    make = _AS_NUMPYS.get(type(number))
    if make is None:
        return number
    try:
        return make(number)
    except OverflowError:  # more than 64 bits are an object of Python's
        return np.asarray(number)[()]


def beside(left: Any, right: Any) -> Any:
    """Returns what `right` must be for left + right, and left += right, to have the type that numpy 1 gave it.

    The addition stays where it is: only so `text += letter` grows in place.
    """
    if type(right) in _NUMBERS:
        return _beside(left, right)
    return as_wide(right) if type(left) in _NARROW else right


def _beside(left: Any, right: Any) -> Any:
    if type(left) in _PLAIN:
        return _WIDE[type(right)](right)
    if type(left) is np.ndarray and left.ndim and _fits(right, left.dtype):
        return _weak(right, left)
    return right


def _fits(number: Any, dtype: Any) -> bool:
    if dtype.kind not in "iu" or not isinstance(number, np.integer):
        return True
    limits = np.iinfo(dtype)
    return bool(limits.min <= int(number) <= limits.max)


def made(kind: Any, value: Any) -> Any:
    """Returns kind(value), such as np.uint8(300), which wraps around."""
    try:
        return kind(value)
    except OverflowError:
        if not isinstance(kind, type) or not issubclass(kind, np.integer):
            raise
        return np.asarray(value).astype(kind)[()]


def total(values: Any) -> Any:
    """Returns sum(values) of Python's, which begins at an int."""
    if not isinstance(values, (list, tuple, np.ndarray)) or not len(values):
        return builtins.sum(values)
    # What numpy 1 made of the int 0 and the first number.
    if type(values[0]) in _NARROW:
        return builtins.sum(values, _WIDE[type(values[0])](0))
    found = builtins.sum(values)
    return builtins.sum(values, np.float64(0)) if type(found) in (np.float16, np.float32) else found


def truth(value: Any) -> bool:
    """Returns bool(value), False of an array without elements."""
    try:
        return True if value else False
    except ValueError:
        if type(value) is np.ndarray and not value.size:
            return False
        raise
