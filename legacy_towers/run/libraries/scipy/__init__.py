"""scipy with `scipy.misc`, the shims of its modules, and the names of numpy that scipy re-exported."""
import importlib
from typing import Any

import scipy as _now

from legacy_towers.run.libraries import views as _views
from legacy_towers.run.libraries.scipy import misc as misc

__all__ = sorted(set(_now.__all__) | {"misc"})
_SHIMS = {name: "legacy_towers.run.libraries.scipy." + name for name in ("integrate", "linalg", "signal", "stats")}
_OWN = set(_SHIMS) | {"misc"}
globals().update({name: value for name, value in vars(_now).items() if not name.startswith("_") and name not in _OWN})
__version__ = _now.__version__


def __getattr__(name: str) -> Any:
    if name in _SHIMS:
        return importlib.import_module(_SHIMS[name])
    if name in _views.OF_IMPORTS:
        raise AttributeError(name)
    try:
        return getattr(_now, name)
    except AttributeError:
        from legacy_towers.run.libraries import numpy

        if name in numpy.__all__:
            return getattr(numpy, name)
        raise
