"""Quotients of whole numbers that may stand for a size, as `quotients_rewriting` puts them into scripts.

Python 3's 8 / 2 is 4.0. TensorFlow 1.x took that for a dimension, in a shape, a kernel's size or the units of a cell;
TensorFlow 2 refuses floats there. It takes what says itself that it is a whole number, and such a quotient does.
"""
from typing import Any, Tuple


class WholeFloat(float):
    """A float without a fraction, which is an index too; of any other number it is a plain float.

    `type(x)(0.5)` is what HParams and its kin make of a value of x's kind.
    """

    def __new__(cls, value: Any = 0.0) -> Any:
        plain = float(value)
        return super().__new__(cls, plain) if plain.is_integer() else plain

    def __index__(self) -> int:
        return int(self)

    def __reduce__(self) -> Tuple[Any, ...]:
        return float, (float(self),)  # files hold plain floats

    def __add__(self, other: Any) -> Any:
        return _of_whole(other, float.__add__(self, other))

    def __sub__(self, other: Any) -> Any:
        return _of_whole(other, float.__sub__(self, other))

    def __rsub__(self, other: Any) -> Any:
        return _of_whole(other, float.__rsub__(self, other))

    def __mul__(self, other: Any) -> Any:
        return _of_whole(other, float.__mul__(self, other))

    def __floordiv__(self, other: Any) -> Any:
        return _of_whole(other, float.__floordiv__(self, other))

    def __rfloordiv__(self, other: Any) -> Any:
        return _of_whole(other, float.__rfloordiv__(self, other))

    def __neg__(self) -> "WholeFloat":
        return WholeFloat(-float(self))

    __radd__ = __add__
    __rmul__ = __mul__


WholeFloat.__name__ = "float"  # as messages call it


def divided(a: Any, b: Any) -> Any:
    """Returns a / b."""
    return _marked(a, b, a / b)


def divided_in_place(a: Any, b: Any) -> Any:
    """Returns what `a /= b` leaves in a."""
    a_before = a
    a /= b
    return _marked(a_before, b, a)


def _marked(a: Any, b: Any, quotient: Any) -> Any:
    if type(quotient) is float and type(a) in _WHOLE and type(b) in _WHOLE and quotient.is_integer():
        return WholeFloat(quotient)
    return quotient


def _of_whole(other: Any, result: Any) -> Any:
    return WholeFloat(result) if type(other) in _WHOLE and type(result) is float else result


_WHOLE = (int, WholeFloat)
