"""tf.py_func and tf.numpy_function, for Python functions that were written for numpy 1.

A float32 array times a float64 scalar, such as np.sqrt(2), is float32 in numpy 1 and float64 in numpy 2. The operation
rejects results whose dtype is not `Tout`, so results of another width are cast to it.
"""
import functools
from typing import Any, Callable

import numpy as np

from legacy_towers.compat.versions import tf

# Kinds of dtypes, floating and complex, whose width numpy 2 infers differently.
_KINDS = "fc"


def py_func(func: Callable[..., Any], inp: Any, Tout: Any, stateful: bool = True, name: Any = None) -> Any:
    """Returns tf.py_func, with floating and complex results of `func` cast to `Tout`."""
    return tf.py_func(_with_widths(func, Tout), inp, Tout, stateful=stateful, name=name)


def numpy_function(func: Callable[..., Any], inp: Any, Tout: Any, *arguments: Any, **keywords: Any) -> Any:
    """Returns tf.numpy_function, with floating and complex results of `func` cast to `Tout`."""
    return tf.numpy_function(_with_widths(func, Tout), inp, Tout, *arguments, **keywords)


def _with_widths(func: Callable[..., Any], types: Any) -> Callable[..., Any]:
    wanted = [tf.as_dtype(each) for each in (types if isinstance(types, (list, tuple)) else [types])]

    def with_widths(*arguments: Any) -> Any:
        results = func(*arguments)
        if isinstance(results, (list, tuple)) and len(results) == len(wanted):
            return [_as_wanted(*each) for each in zip(results, wanted)]
        return _as_wanted(results, wanted[0]) if len(wanted) == 1 else results

    # A callable object has no name.
    return functools.update_wrapper(with_widths, func) if hasattr(func, "__name__") else with_widths


def _as_wanted(result: Any, dtype: Any) -> Any:
    if isinstance(result, (np.ndarray, np.generic)) and result.dtype.kind in _KINDS:
        wanted = np.dtype(dtype.as_numpy_dtype)
        if wanted.kind == result.dtype.kind and wanted != result.dtype:
            return result.astype(wanted)
    return result
