"""sklearn with the views of its modules."""
import importlib
import sys
from typing import Any

import sklearn as _now

__all__ = list(_now.__all__)
__version__ = _now.__version__
_NAMES = ("datasets", "externals", "manifold", "metrics", "preprocessing")
_VIEWS = {name: "legacy_towers.oldtf.changed.sklearn_" + name for name in _NAMES}


def __getattr__(name: str) -> Any:
    if name.startswith("__"):
        raise AttributeError(name)
    if name in _VIEWS:
        return importlib.import_module(_VIEWS[name])
    # Python gives `sklearn.svm` to whoever imported it, by the name of the real one.
    imported = sys.modules.get("sklearn." + name)
    return imported if imported is not None else getattr(_now, name)
