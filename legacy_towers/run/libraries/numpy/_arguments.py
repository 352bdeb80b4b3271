"""Functions that took other arguments, or returned other results, in numpy 1.18; the shim always has these.

    percentile, quantile   `interpolation`, which is `method` since 2.4
    reshape                `newshape`, which is `shape` since 2.4
    issubdtype             float, int and complex are any types of their kind
    unique                 the inverse is one-dimensional
    where                  an integer out of the range of an integer array widens the array
    where, nonzero         a number is an array of one element
    full, full_like        integers out of a type's range wrap around
"""
from typing import Any, Callable

import numpy as _now

__all__ = [
    "full_like", "issubdtype", "nanpercentile", "nanquantile", "nonzero", "percentile", "quantile", "unique", "where",
]  # fmt: skip

_ABSTRACT_TYPES = {float: _now.floating, int: _now.signedinteger, complex: _now.complexfloating}


def _with_method(options: Any) -> Any:
    if "interpolation" in options:
        options["method"] = options.pop("interpolation")
    return options


def percentile(a: Any, q: Any, *arguments: Any, **options: Any) -> Any:
    return _now.percentile(a, q, *arguments, **_with_method(options))


def nanpercentile(a: Any, q: Any, *arguments: Any, **options: Any) -> Any:
    return _now.nanpercentile(a, q, *arguments, **_with_method(options))


def quantile(a: Any, q: Any, *arguments: Any, **options: Any) -> Any:
    return _now.quantile(a, q, *arguments, **_with_method(options))


def nanquantile(a: Any, q: Any, *arguments: Any, **options: Any) -> Any:
    return _now.nanquantile(a, q, *arguments, **_with_method(options))


def reshape(a: Any, *arguments: Any, **options: Any) -> Any:
    """numpy.reshape; `newshape` is the old name of `shape`."""
    shape = (options.pop("newshape"),) if "newshape" in options else ()
    return _now.reshape(a, *shape, *arguments, **options)


def issubdtype(arg1: Any, arg2: Any) -> bool:
    """numpy.issubdtype; float means np.floating, int np.signedinteger and complex np.complexfloating."""
    return bool(_now.issubdtype(arg1, _ABSTRACT_TYPES.get(arg2, arg2) if isinstance(arg2, type) else arg2))


def unique(
    ar: Any,
    return_index: bool = False,
    return_inverse: bool = False,
    return_counts: bool = False,
    axis: Any = None,
    **options: Any
) -> Any:
    """numpy.unique; without `axis` the inverse is one-dimensional."""
    find: Any = _now.unique
    found = find(ar, return_index, return_inverse, return_counts, axis, **options)
    if not return_inverse or axis is not None:
        return found
    position = 2 if return_index else 1
    return found[:position] + (found[position].reshape(-1),) + found[position + 1 :]


def where(condition: Any, *values: Any) -> Any:
    """numpy.where; of uint8 and -1 it returns int16, where numpy 2 converts -1 to 255."""
    if len(values) == 2:
        values = (_wide_enough(values[0], values[1]), _wide_enough(values[1], values[0]))
    return _now.where(condition, *values) if values else nonzero(condition)


def nonzero(a: Any) -> Any:
    """numpy.nonzero; that of a number is that of an array of one element."""
    try:
        return _now.nonzero(a)
    except ValueError:
        if _now.ndim(a):
            raise
    return _now.nonzero(_now.atleast_1d(a))


def _wide_enough(value: Any, other: Any) -> Any:
    """Returns `value`; as a numpy scalar if it is an int out of the range of the integer array `other`."""
    if type(value) is not int or not isinstance(other, _now.ndarray) or other.dtype.kind not in "iu":
        return value
    limits = _now.iinfo(other.dtype)
    if limits.min <= value <= limits.max:
        return value
    return _now.asarray(value, _now.promote_types(other.dtype, _now.min_scalar_type(value)))


def full(shape: Any, fill_value: Any, dtype: Any = None, **options: Any) -> Any:
    """numpy.full; integers out of the range of `dtype` wrap around."""
    return _filled(_now.full, shape, fill_value, dtype, options)


def full_like(a: Any, fill_value: Any, dtype: Any = None, **options: Any) -> Any:
    """numpy.full_like; integers out of the range of the type wrap around."""
    return _filled(_now.full_like, a, fill_value, dtype, options)


def _filled(make: Callable[..., Any], of: Any, value: Any, dtype: Any, options: Any) -> Any:
    try:
        return make(of, value, dtype, **options)
    except OverflowError:
        kind = _now.asarray(of).dtype if dtype is None else dtype
        return make(of, _now.asarray(value).astype(kind), dtype, **options)
