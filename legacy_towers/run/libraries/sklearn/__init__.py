"""sklearn with the shims of its modules."""
import importlib
import sys
from typing import Any

import sklearn as _now

from legacy_towers.run.libraries import views as _views

__version__ = _now.__version__
_NAMES = ("datasets", "externals", "manifold", "metrics", "preprocessing")
_SHIMS = {name: "legacy_towers.run.libraries.sklearn." + name for name in _NAMES}


def __getattr__(name: str) -> Any:
    if name in _SHIMS:
        return importlib.import_module(_SHIMS[name])
    if name in _views.OF_IMPORTS and name != "__all__":
        raise AttributeError(name)
    # `import sklearn.svm` makes svm an attribute of the real sklearn only.
    imported = sys.modules.get("sklearn." + name)
    return imported if imported is not None else getattr(_now, name)
