"""Lists of numbers and one-element arrays, which numpy 1 converted to arrays of numbers.

Rewards, for example: the result of a session, of shape (1,), in each step and 0.0 in the last: [array([0.5]), 0.0].
"""
from typing import Any, Iterable

import numpy as np

_KINDS = "buifc"


def is_inhomogeneous(error: Exception) -> bool:
    """Returns whether `error` is numpy's error for a list that it can't convert to an array."""
    return "inhomogeneous" in str(error)


def number_of(value: Any) -> Any:
    """Returns the element of a one-element array of numbers; other values are returned unchanged."""
    is_one = isinstance(value, np.ndarray) and value.ndim > 0 and value.size == 1 and value.dtype.kind in _KINDS
    return value.reshape(())[()] if is_one else value


def unwrapped(value: Any) -> Any:
    """Returns `value` with the one-element arrays replaced by their elements in all lists that contain numbers."""
    if not isinstance(value, (list, tuple)):
        return value
    inner = [unwrapped(each) for each in value]
    return [number_of(each) for each in inner] if _has_number(inner) else inner


def _has_number(values: Iterable[Any]) -> bool:
    return any(np.ndim(each) == 0 and isinstance(each, (int, float, np.generic, np.ndarray)) for each in values
               if not isinstance(each, (list, tuple)))  # fmt: skip
