"""Conversions between arrays and numbers as in numpy 1, which accepts a one-element array as a number."""
import operator
from typing import Any, Callable

import numpy as np

from legacy_towers.run.rewriting import mixed_numbers, scalars

section = slice


def number(kind: Callable[..., Any], *arguments: Any) -> Any:
    """Returns int(x) or float(x), where x may be a one-element array of any rank."""
    if len(arguments) == 1 and type(arguments[0]) is np.ndarray:
        return kind(_element(arguments[0]))
    return kind(*arguments)


def formatted(text: str, values: Any) -> str:
    """Returns text % values, where the values may be one-element arrays."""
    try:
        return text % values
    except TypeError:
        numbers = tuple(map(_element, values)) if isinstance(values, tuple) else _element(values)
        if numbers is values:
            raise
        return text % numbers


def _element(value: Any) -> Any:
    return value.item() if type(value) is np.ndarray and value.size == 1 else value


def store(value: Any, target: Any, key: Any) -> None:
    """Runs target[key] = value; a one-element array is stored as a number if necessary.

    Integers out of the range of an integer array wrap around.
    """
    try:
        target[key] = value
    except OverflowError:
        if not isinstance(target, np.ndarray) or target.dtype.kind not in "iu":
            raise
        target[key] = np.asarray(value).astype(target.dtype)
    except (TypeError, ValueError):
        converted = mixed_numbers.unwrapped(value) if isinstance(value, list) else mixed_numbers.number_of(value)
        if converted is value or not isinstance(target, np.ndarray):
            raise
        target[key] = converted


def change(target: Any, key: Any, operation: str, value: Any) -> None:
    """Runs target[key] += value and so on; `operation` is a function of the module operator, such as "iadd"."""
    try:
        before = target[key]
        found = getattr(operator, operation)(before, scalars.right_operand(before, value))
    except OverflowError:  # `value` is out of the range of the integer array
        if not isinstance(target, np.ndarray):
            raise
        found = arithmetic(operation[1:], target[key], value).astype(target.dtype)
    store(found, target, key)


def arithmetic(operation: str, left: Any, right: Any) -> Any:
    """Returns left * right and so on; `operation` is a function of the module operator, such as "mul"."""
    return scalars.arithmetic(getattr(operator, operation), left, right)
