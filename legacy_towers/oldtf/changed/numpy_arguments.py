"""Functions of numpy that took other arguments in 1.18: `numpy_view` has these in the place of numpy's own.

`interpolation`, since 2.4 `method` alone; `newshape`, since 2.4 `shape`; float for any float in issubdtype; and the
inverse of unique, which was flat.
"""
from typing import Any

import numpy as _now

__all__ = ["issubdtype", "nanpercentile", "nanquantile", "percentile", "quantile", "unique"]

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
