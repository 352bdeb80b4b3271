"""scipy with `scipy.misc`, with the views of its modules, and with the names of numpy that scipy passed on."""
import importlib
from typing import Any

import scipy as _now

from legacy_towers.oldtf.changed import scipy_misc as misc

__all__ = ["misc"]
_VIEWS = {name: "legacy_towers.oldtf.changed.scipy_" + name for name in ("integrate", "linalg", "signal", "stats")}
_SEEN = set(_VIEWS) | {"misc"}
globals().update({name: value for name, value in vars(_now).items() if not name.startswith("_") and name not in _SEEN})
__version__ = _now.__version__


def __getattr__(name: str) -> Any:
    if name in _VIEWS:
        return importlib.import_module(_VIEWS[name])
    try:
        return getattr(_now, name)
    except AttributeError:
        from legacy_towers.oldtf.changed import numpy_view

        if name in numpy_view.__all__:
            return getattr(numpy_view, name)
        raise
