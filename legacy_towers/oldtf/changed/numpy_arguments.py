"""Functions of numpy that took other arguments in 1.18: `numpy_view` has these in the place of numpy's own.

`interpolation`, since 2.4 `method` alone; `newshape`, since 2.4 `shape`; float for any float in issubdtype; and the
inverse of unique, which was flat. Python's integers that an array of integers can't hold: where widens the array, and
full and full_like wrap them around, as numpy 1 did.
"""
from typing import Any, Callable

import numpy as _now

__all__ = ["full_like", "issubdtype", "nanpercentile", "nanquantile", "percentile", "quantile", "unique", "where"]

# What these of Python's stood for.
_KINDS = {float: _now.floating, int: _now.signedinteger, complex: _now.complexfloating}


def _method(options: Any) -> Any:
    if "interpolation" in options:
        options["method"] = options.pop("interpolation")
    return options


def percentile(a: Any, q: Any, *arguments: Any, **options: Any) -> Any:
    return _now.percentile(a, q, *arguments, **_method(options))


def nanpercentile(a: Any, q: Any, *arguments: Any, **options: Any) -> Any:
    return _now.nanpercentile(a, q, *arguments, **_method(options))


def quantile(a: Any, q: Any, *arguments: Any, **options: Any) -> Any:
    return _now.quantile(a, q, *arguments, **_method(options))


def nanquantile(a: Any, q: Any, *arguments: Any, **options: Any) -> Any:
    return _now.nanquantile(a, q, *arguments, **_method(options))


def reshape(a: Any, *arguments: Any, **options: Any) -> Any:
    """numpy.reshape; the shape may be called newshape."""
    shape = (options.pop("newshape"),) if "newshape" in options else ()
    return _now.reshape(a, *shape, *arguments, **options)


def issubdtype(arg1: Any, arg2: Any) -> bool:
    """numpy.issubdtype; Python's float, int and complex are all numbers of their kind."""
    return bool(_now.issubdtype(arg1, _KINDS.get(arg2, arg2) if isinstance(arg2, type) else arg2))


def unique(
    ar: Any,
    return_index: bool = False,
    return_inverse: bool = False,
    return_counts: bool = False,
    axis: Any = None,
    **options: Any
) -> Any:
    """numpy.unique; without an axis the inverse has one dimension."""
    find: Any = _now.unique
    found = find(ar, return_index, return_inverse, return_counts, axis, **options)
    if not return_inverse or axis is not None:
        return found
    place = 2 if return_index else 1
    return found[:place] + (found[place].reshape(-1),) + found[place + 1 :]


def where(condition: Any, *values: Any) -> Any:
    """numpy.where; of uint8 and -1 an int16, in which numpy 2 would make 255 of the -1."""
    if len(values) == 2:
        values = (_wide_enough(values[0], values[1]), _wide_enough(values[1], values[0]))
    return _now.where(condition, *values)


def _wide_enough(value: Any, other: Any) -> Any:
    """Returns `value`; an integer of Python that the integers of the array `other` can't hold as a number of numpy."""
    if type(value) is not int or not isinstance(other, _now.ndarray) or other.dtype.kind not in "iu":
        return value
    limits = _now.iinfo(other.dtype)
    if limits.min <= value <= limits.max:
        return value
    return _now.asarray(value, _now.promote_types(other.dtype, _now.min_scalar_type(value)))


def full(shape: Any, fill_value: Any, dtype: Any = None, **options: Any) -> Any:
    """numpy.full; what `dtype` can't hold wraps around."""
    return _filled(_now.full, shape, fill_value, dtype, options)


def full_like(a: Any, fill_value: Any, dtype: Any = None, **options: Any) -> Any:
    """numpy.full_like; what the type can't hold wraps around."""
    return _filled(_now.full_like, a, fill_value, dtype, options)


def _filled(make: Callable[..., Any], of: Any, value: Any, dtype: Any, options: Any) -> Any:
    try:
        return make(of, value, dtype, **options)
    except OverflowError:
        kind = _now.asarray(of).dtype if dtype is None else dtype
        return make(of, _now.asarray(value).astype(kind), dtype, **options)
