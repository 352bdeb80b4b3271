"""tf.py_func and tf.numpy_function, whose Python functions compute with the numpy of today.

An array of float32 times a number of float64, such as np.sqrt(2), was float32 until numpy 2, and is float64 since. The
operation refuses what is not of the type that it was told, so a result of the wrong width becomes that type again.
"""
import functools
from typing import Any, Callable

import numpy as np

from legacy_towers.compat import tf

# Kinds of numbers whose width numpy 2 chooses in another way.
_KINDS = "fc"


def py_func(func: Callable[..., Any], inp: Any, Tout: Any, stateful: bool = True, name: Any = None) -> Any:
    """tf.py_func."""
    return tf.py_func(_with_widths(func, Tout), inp, Tout, stateful=stateful, name=name)


def numpy_function(func: Callable[..., Any], inp: Any, Tout: Any, *arguments: Any, **keywords: Any) -> Any:
    """tf.numpy_function."""
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
