"""scipy.stats, whose `mode` keeps the dimension that it counts along, as before scipy 1.11, and with `itemfreq`."""
import inspect
from typing import Any

import numpy as np
import scipy.stats as _now

globals().update({name: value for name, value in vars(_now).items() if not name.startswith("_")})
_KEEPS = {"keepdims": True} if "keepdims" in inspect.signature(_now.mode).parameters else {}


def __getattr__(name: str) -> Any:
    return getattr(_now, name)


def mode(a: Any, axis: Any = 0, *arguments: Any, **options: Any) -> Any:
    """Returns the most frequent values of `a` along `axis`, and how often each is there: mode(a)[0][0]."""
    return _now.mode(a, axis, *arguments, **dict(_KEEPS, **options))


def itemfreq(a: Any) -> Any:
    """Returns an array of two columns: each value of `a`, and how often it is there."""
    return np.array(np.unique(a, return_counts=True)).T
