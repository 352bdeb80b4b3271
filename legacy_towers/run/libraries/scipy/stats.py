"""scipy.stats with `itemfreq`, and with a `mode` that keeps the reduced dimension, as before scipy 1.11."""
import inspect
from typing import Any

import numpy as np
import scipy.stats as _now

from legacy_towers.run.libraries.views import pass_on as _pass_on

_pass_on(globals(), _now)
_KEEPS = {"keepdims": True} if "keepdims" in inspect.signature(_now.mode).parameters else {}


def mode(a: Any, axis: Any = 0, *arguments: Any, **options: Any) -> Any:
    """Returns (the most frequent values of `a` along `axis`, their counts); both keep the reduced dimension."""
    return _now.mode(a, axis, *arguments, **dict(_KEEPS, **options))


def itemfreq(a: Any) -> Any:
    """Returns an array with two columns: the distinct values of `a` and their counts."""
    return np.array(np.unique(a, return_counts=True)).T
