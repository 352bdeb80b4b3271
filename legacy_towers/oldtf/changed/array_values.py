"""Numbers into and out of arrays as numpy 1 took them: an array with one element counts as its number."""
import operator
from typing import Any, Callable

import numpy as np

from legacy_towers.oldtf.changed import mixed_numbers, scalars

section = slice


def number(kind: Callable[..., Any], *arguments: Any) -> Any:
    """Returns int(x) or float(x), of an array with one element too, whatever its dimensions."""
    if len(arguments) == 1 and type(arguments[0]) is np.ndarray:
        return kind(_one_number(arguments[0]))
    return kind(*arguments)


def formatted(text: str, values: Any) -> str:
    """Returns text % values, where an array with one element counts as its number."""
    try:
        return text % values
    except TypeError:
        plain = tuple(map(_one_number, values)) if isinstance(values, tuple) else _one_number(values)
        if plain is values:
            raise
        return text % plain


def _one_number(value: Any) -> Any:
    return value.item() if type(value) is np.ndarray and value.size == 1 else value


def store(value: Any, target: Any, key: Any) -> None:
    """target[key] = value, where an array with one element counts as its number if an array takes no other.

    What the array's integers can't hold wraps around.
    """
    try:
        target[key] = value
    except OverflowError:
        if not isinstance(target, np.ndarray) or target.dtype.kind not in "iu":
            raise
        target[key] = np.asarray(value).astype(target.dtype)
    except (TypeError, ValueError):
        plain = mixed_numbers.unwrapped(value) if isinstance(value, list) else mixed_numbers.number_of(value)
        if plain is value or not isinstance(target, np.ndarray):
            raise
        target[key] = plain


def change(target: Any, key: Any, operation: str, value: Any) -> None:
    """target[key] += value, and the like: `operation` is "iadd" of the module operator."""
    try:
        before = target[key]
        found = getattr(operator, operation)(before, scalars.beside(before, value))
    except OverflowError:  # a number that these integers can't hold
        if not isinstance(target, np.ndarray):
            raise
        found = arithmetic(operation[1:], target[key], value).astype(target.dtype)
    store(found, target, key)


def arithmetic(operation: str, left: Any, right: Any) -> Any:
    """Returns left * right, and the like: `operation` is "mul" of the module operator; see `scalars.arithmetic`."""
    return scalars.arithmetic(getattr(operator, operation), left, right)
