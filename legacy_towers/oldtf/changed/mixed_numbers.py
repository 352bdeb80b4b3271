"""Lists in which numbers and arrays of one number stand side by side: numpy 1 took each of these for its number.

A reward is 0.0 at the end of an episode, and what a session returned, of shape (1,), before it: [array([0.5]), 0.0].
"""
from typing import Any, Iterable

import numpy as np

_KINDS = "buifc"


def is_complaint(error: Exception) -> bool:
    """Returns whether `error` is numpy's of a list that makes no array."""
    return "inhomogeneous" in str(error)


def number_of(value: Any) -> Any:
    """Returns the number of an array that has one; anything else as it is."""
    is_one = isinstance(value, np.ndarray) and value.ndim > 0 and value.size == 1 and value.dtype.kind in _KINDS
    return value.reshape(())[()] if is_one else value


def unwrapped(value: Any) -> Any:
    """Returns `value` with the arrays of one number, in lists that have a plain number too, as their numbers."""
    if not isinstance(value, (list, tuple)):
        return value
    inner = [unwrapped(each) for each in value]
    return [number_of(each) for each in inner] if _has_number(inner) else inner


def _has_number(values: Iterable[Any]) -> bool:
    return any(np.ndim(each) == 0 and isinstance(each, (int, float, np.generic, np.ndarray)) for each in values
               if not isinstance(each, (list, tuple)))  # fmt: skip
