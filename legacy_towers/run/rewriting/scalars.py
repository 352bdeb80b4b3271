"""Arithmetic of numpy scalars by the promotion rules of numpy 1; `scalars_rewriting` inserts the calls.

A numpy scalar, such as a pixel or a loss that a session returned, and a Python number have the wider of their types in
numpy 1, where Python's are int64 and float64. In numpy 2 they have the scalar's type (NEP 50): with np.uint8(200),
+ 100 is 44, and * 300 is an error.
"""
import builtins
import operator  # noqa: F401 - rewritten scripts use scalars.operator
from typing import Any, Callable, Dict, Tuple

import numpy as np

from legacy_towers.run.rewriting.quotients import WholeFloat

# Scalar types that a Python number widens; np.float64 and np.int64 are as wide as Python's.
_NARROW = frozenset([getattr(np, "{}int{}".format(sign, bits)) for sign in ("", "u") for bits in (8, 16, 32)]) | {
    np.uint64,
    np.float16,
    np.float32,
}
_WIDE = {kind: np.int64 if issubclass(kind, np.integer) and kind is not np.uint64 else np.float64 for kind in _NARROW}
_WIDE.update({np.int64: np.int64, np.float64: np.float64})
_NUMBERS = frozenset(_WIDE)
_OF_PYTHON = (int, float, WholeFloat)
_OF_NUMPY = _NARROW | {np.ndarray}
_TO_NUMPY: Dict[type, Callable[..., Any]] = {
    int: np.int64,
    float: np.float64,
    WholeFloat: np.float64,
    complex: np.complex128,
}
# dtype.kind -> rank: a scalar widens an array only if the rank of its kind is larger.
_RANKS = {"b": 0, "i": 1, "u": 1, "f": 2, "c": 2}


def arithmetic(operation: Callable[..., Any], left: Any, right: Any) -> Any:
    """Returns operation(left, right) with the type of numpy 1; `operation` is operator.mul, for example.

    In numpy 1 a scalar does not widen an array of its kind: a float32 array by a float64 scalar is float32 (float64 in
    numpy 2). An integer out of the array's range does: a uint8 array by 256 is uint16 (an OverflowError in numpy 2).
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
    """Returns both operands, converted so that their result has the type of numpy 1.

    Args:
      left: an array, or a scalar of a type in `_NARROW`.
      right: any value.
    """
    if type(left) is not np.ndarray:
        right = as_wide(right) if type(right) is not np.ndarray else right
        left = _weak(left, right) if type(right) is np.ndarray and right.ndim else left
    elif left.ndim:
        right = _weak(right, left)
    return left, right


def _weak(number: Any, array: np.ndarray) -> Any:
    if not isinstance(number, (np.number, np.bool_)) or array.dtype.kind not in _RANKS:
        return number
    return number.item() if _RANKS[number.dtype.kind] <= _RANKS[array.dtype.kind] else number


def _wide_enough(left: Any, right: Any) -> Any:
    if isinstance(left, np.ndarray):
        return left.astype(np.promote_types(left.dtype, np.min_scalar_type(right))), right
    return left, right.astype(np.promote_types(right.dtype, np.min_scalar_type(left)))


def as_wide(number: Any) -> Any:
    """Returns a Python number as the numpy scalar that numpy 1 converts it to; other values are returned unchanged."""
    make = _TO_NUMPY.get(type(number))
    if make is None:
        return number
    try:
        return make(number)
    except OverflowError:  # an integer of more than 64 bits has dtype object
        return np.asarray(number)[()]


def right_operand(left: Any, right: Any) -> Any:
    """Returns `right`, converted so that left + right and left += right have the type of numpy 1.

    The addition itself is not rewritten, since CPython appends in place in `text += letter`.
    """
    if type(right) in _NUMBERS:
        return _right_operand(left, right)
    return as_wide(right) if type(left) in _NARROW else right


def _right_operand(left: Any, right: Any) -> Any:
    if type(left) in _OF_PYTHON:
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
    """Returns kind(value), such as np.uint8(300); integers out of range wrap around."""
    try:
        return kind(value)
    except OverflowError:
        if not isinstance(kind, type) or not issubclass(kind, np.integer):
            raise
        return np.asarray(value).astype(kind)[()]


def total(values: Any) -> Any:
    """Returns Python's sum(values), whose start value is an int."""
    if not isinstance(values, (list, tuple, np.ndarray)) or not len(values):
        return builtins.sum(values)
    # In numpy 1 the start value 0 widens the first element.
    if type(values[0]) in _NARROW:
        return builtins.sum(values, _WIDE[type(values[0])](0))
    found = builtins.sum(values)
    return builtins.sum(values, np.float64(0)) if type(found) in (np.float16, np.float32) else found


def truth(value: Any) -> bool:
    """Returns bool(value); False for an empty array."""
    try:
        return True if value else False
    except ValueError:
        if type(value) is np.ndarray and not value.size:
            return False
        raise
