"""sklearn.metrics, whose `mean_squared_error` accepts `squared`, as before scikit-learn 1.6."""
import functools
import inspect
from typing import Any

import numpy as np
import sklearn.metrics as _now

globals().update({name: value for name, value in vars(_now).items() if not name.startswith("_")})
_TAKES_SQUARED = "squared" in inspect.signature(_now.mean_squared_error).parameters


def __getattr__(name: str) -> Any:
    return getattr(_now, name)


@functools.wraps(_now.mean_squared_error)
def mean_squared_error(y_true: Any, y_pred: Any, **options: Any) -> Any:
    if _TAKES_SQUARED or options.pop("squared", True):
        return _now.mean_squared_error(y_true, y_pred, **options)
    if options.get("multioutput", "uniform_average") != "uniform_average":
        return np.sqrt(_now.mean_squared_error(y_true, y_pred, **options))
    # The mean of the roots of each column's error.
    return np.mean(np.sqrt(_now.mean_squared_error(y_true, y_pred, **dict(options, multioutput="raw_values"))))
