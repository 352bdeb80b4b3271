"""Functions of numpy 1.18 that numpy removed or that took other arguments; the shim always has these."""
import functools
from typing import Any, Callable, List

import numpy as _now

__all__ = [
    "alen", "asfarray", "asscalar", "broadcast_arrays", "ceil", "find_common_type", "fix", "floor", "fromstring",
    "histogram", "in1d", "issubclass_", "issubsctype", "meshgrid", "msort", "obj2sctype", "rank", "trunc",
]  # fmt: skip


def fromstring(string: Any, dtype: Any = float, count: int = -1, sep: str = "", **options: Any) -> Any:
    """numpy.fromstring, of bytes too; returns a copy, unlike numpy.frombuffer."""
    if sep:
        return _now.fromstring(string, dtype, count, sep=sep, **options)
    data = string.encode("latin-1") if isinstance(string, str) else string
    return _now.frombuffer(data, dtype, count).copy()


def histogram(
    a: Any,
    bins: Any = 10,
    range: Any = None,  # noqa: A002
    normed: Any = None,
    weights: Any = None,
    density: Any = None,
) -> Any:
    """numpy.histogram; `normed` is the old name of `density`."""
    return _now.histogram(a, bins, range, density=normed if density is None else density, weights=weights)


def in1d(ar1: Any, ar2: Any, assume_unique: bool = False, invert: bool = False) -> Any:
    """Returns numpy.isin of the flattened `ar1`."""
    return _now.isin(_now.asarray(ar1).ravel(), ar2, assume_unique=assume_unique, invert=invert)


def asscalar(a: Any) -> Any:
    """Returns the element of the one-element array `a` as a Python scalar."""
    return a.item()


def asfarray(a: Any, dtype: Any = _now.float64) -> Any:
    """Returns `a` as an array of floats."""
    return _now.asarray(a, dtype if _now.issubdtype(dtype, _now.inexact) else _now.float64)


def alen(a: Any) -> int:
    """Returns the size of the first dimension, 1 for a scalar."""
    return len(_now.atleast_1d(a))


def rank(a: Any) -> int:
    """Returns the number of dimensions."""
    return int(_now.ndim(a))


def msort(a: Any) -> Any:
    """Returns a copy of `a`, sorted along the first axis."""
    return _now.sort(a, axis=0)


def issubclass_(arg1: Any, arg2: Any) -> bool:
    """Returns whether `arg1` is a subclass of `arg2`; False if it is not a class."""
    return isinstance(arg1, type) and issubclass(arg1, arg2)


def issubsctype(arg1: Any, arg2: Any) -> bool:
    return bool(_now.issubdtype(arg1, arg2))


def obj2sctype(rep: Any, default: Any = None) -> Any:
    """Returns the scalar type of `rep`, a dtype, a name of one or an array."""
    try:
        return _now.dtype(rep).type if not isinstance(rep, _now.ndarray) else rep.dtype.type
    except TypeError:
        return default


def find_common_type(array_types: Any, scalar_types: Any) -> Any:
    """Returns the common type of arrays and scalars; scalars count only if their kind is larger."""
    arrays = [_now.dtype(each) for each in array_types]
    scalars = [_now.dtype(each) for each in scalar_types]
    largest = _now.result_type(*arrays) if arrays else None
    other = _now.result_type(*scalars) if scalars else None
    if largest is None or other is None:
        return largest or other
    kinds = "buifc"
    return largest if kinds.index(largest.kind) >= kinds.index(other.kind) else other


def meshgrid(*xi: Any, **options: Any) -> List[Any]:
    """numpy.meshgrid; the result is a list."""
    return list(_now.meshgrid(*xi, **options))


def broadcast_arrays(*args: Any, **options: Any) -> List[Any]:
    """numpy.broadcast_arrays; the result is a list."""
    return list(_now.broadcast_arrays(*args, **options))


def _to_floats(function: Any) -> Callable[..., Any]:
    """Returns the rounding `function`, whose result for integers is floats, as it was until numpy 2.1."""

    @functools.wraps(function)
    def called(x: Any, *arguments: Any, **options: Any) -> Any:
        found = function(x, *arguments, **options)
        if type(x) is float:
            return found
        if found.dtype.kind not in "biu" or arguments or options:
            return found
        return found.astype(_now.promote_types(found.dtype, _now.float16))

    return called


ceil, fix, floor, trunc = map(_to_floats, (_now.ceil, _now.fix, _now.floor, _now.trunc))
