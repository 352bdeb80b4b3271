"""Quotients of integers that TensorFlow accepts as dimensions; `quotients_rewriting` inserts the calls.

In Python 3, 8 / 2 is 4.0. TensorFlow 1.x accepts it as a dimension of a shape or a kernel, or as the units of a cell.
TensorFlow 2 rejects floats there, but accepts objects with an `__index__`, as these quotients have.
"""
from typing import Any, Tuple


class WholeFloat(float):
    """A float without a fraction that has an `__index__`; WholeFloat(0.5) is a plain float.

    HParams and similar classes call `type(x)(value)` to parse a value of the type of x.
    """

    def __new__(cls, value: Any = 0.0) -> Any:
        plain = float(value)
        return super().__new__(cls, plain) if plain.is_integer() else plain

    def __index__(self) -> int:
        return int(self)

    def __reduce__(self) -> Tuple[Any, ...]:
        return float, (float(self),)  # pickled as a plain float

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


WholeFloat.__name__ = "float"  # for messages


def divided(a: Any, b: Any) -> Any:
    """Returns a / b."""
    return _with_index(a, b, a / b)


def divided_in_place(a: Any, b: Any) -> Any:
    """Returns the value of `a` after `a /= b`."""
    a_before = a
    a /= b
    return _with_index(a_before, b, a)


def _with_index(a: Any, b: Any, quotient: Any) -> Any:
    if type(quotient) is float and type(a) in _INTEGERS and type(b) in _INTEGERS and quotient.is_integer():
        return WholeFloat(quotient)
    return quotient


def _of_whole(other: Any, result: Any) -> Any:
    return WholeFloat(result) if type(other) in _INTEGERS and type(result) is float else result


_INTEGERS = (int, WholeFloat)
