"""Python 2's `/`: floor division of two integers, true division of other numbers."""
import operator
import sys
from typing import Any


def div(a: Any, b: Any) -> Any:
    """Returns `a / b` as in Python 2."""
    return _divided(a, b, operator.truediv, operator.floordiv)


def divide_in_place(a: Any, b: Any) -> Any:
    """Returns the value of `a` after `a /= b` in Python 2."""
    return _divided(a, b, operator.itruediv, operator.ifloordiv)


def divide_item(container: Any, key: Any, b: Any) -> None:
    """Runs `container[key] /= b` as in Python 2."""
    container[key] = divide_in_place(container[key], b)


def divide_attribute(value: Any, name: str, b: Any) -> None:
    """Runs `value.name /= b` as in Python 2."""
    setattr(value, name, divide_in_place(getattr(value, name), b))


def _divided(a: Any, b: Any, quotient: Any, floored: Any) -> Any:
    if isinstance(a, int) and isinstance(b, int):
        return floored(a, b)
    if isinstance(a, float) or isinstance(b, float):
        return quotient(a, b)
    # Classes of the script, and TensorFlow's Tensor and Dimension, define Python 2's `/`.
    for value, name, other in ((a, "__div__", b), (b, "__rdiv__", a)):
        method = getattr(type(value), name, None)
        if method is not None:
            result = method(value, other)
            if result is not NotImplemented:
                return result
    return floored(a, b) if _is_integer(a) and _is_integer(b) else quotient(a, b)


def _is_integer(value: Any) -> bool:
    if isinstance(value, int):
        return True
    numpy = sys.modules.get("numpy")
    return numpy is not None and isinstance(value, (numpy.ndarray, numpy.generic)) and value.dtype.kind in "biu"
