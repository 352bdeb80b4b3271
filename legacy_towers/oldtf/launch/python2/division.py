"""Python 2's `/`: of two whole numbers the whole number below the quotient, else the quotient."""
import operator
import sys
from typing import Any


def div(a: Any, b: Any) -> Any:
    """Returns what `a / b` was."""
    return _divided(a, b, operator.truediv, operator.floordiv)


def divide_in_place(a: Any, b: Any) -> Any:
    """Returns what `a /= b` gave to a."""
    return _divided(a, b, operator.itruediv, operator.ifloordiv)


def divide_item(container: Any, key: Any, b: Any) -> None:
    """container[key] /= b."""
    container[key] = divide_in_place(container[key], b)


def divide_attribute(value: Any, name: str, b: Any) -> None:
    """value.name /= b."""
    setattr(value, name, divide_in_place(getattr(value, name), b))


def _divided(a: Any, b: Any, quotient: Any, floored: Any) -> Any:
    if isinstance(a, int) and isinstance(b, int):
        return floored(a, b)
    if isinstance(a, float) or isinstance(b, float):
        return quotient(a, b)
    # Classes of the script's, and TensorFlow's tensors and dimensions, say themselves what Python 2's `/` is.
    for value, name, other in ((a, "__div__", b), (b, "__rdiv__", a)):
        method = getattr(type(value), name, None)
        if method is not None:
            result = method(value, other)
            if result is not NotImplemented:
                return result
    return floored(a, b) if _is_whole(a) and _is_whole(b) else quotient(a, b)


def _is_whole(value: Any) -> bool:
    if isinstance(value, int):
        return True
    numpy = sys.modules.get("numpy")
    return numpy is not None and isinstance(value, (numpy.ndarray, numpy.generic)) and value.dtype.kind in "biu"
