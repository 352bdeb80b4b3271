"""sklearn.metrics, whose `mean_squared_error` accepts `squared`, as before scikit-learn 1.6."""
import functools
import inspect
from typing import Any

import numpy as np
import sklearn.metrics as _now

from legacy_towers.run.libraries.views import pass_on as _pass_on

_pass_on(globals(), _now)
_TAKES_SQUARED = "squared" in inspect.signature(_now.mean_squared_error).parameters


@functools.wraps(_now.mean_squared_error)
def mean_squared_error(y_true: Any, y_pred: Any, **options: Any) -> Any:
    if _TAKES_SQUARED or options.pop("squared", True):
        return _now.mean_squared_error(y_true, y_pred, **options)
    if options.get("multioutput", "uniform_average") != "uniform_average":
        return np.sqrt(_now.mean_squared_error(y_true, y_pred, **options))
    # The mean of the roots of each column's error.
    return np.mean(np.sqrt(_now.mean_squared_error(y_true, y_pred, **dict(options, multioutput="raw_values"))))
