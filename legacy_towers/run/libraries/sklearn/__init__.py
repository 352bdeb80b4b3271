"""sklearn with the shims of its modules."""
import importlib
import sys
from typing import Any

import sklearn as _now

__all__ = list(_now.__all__)
__version__ = _now.__version__
_NAMES = ("datasets", "externals", "manifold", "metrics", "preprocessing")
_SHIMS = {name: "legacy_towers.run.libraries.sklearn." + name for name in _NAMES}


def __getattr__(name: str) -> Any:
    if name.startswith("__"):
        raise AttributeError(name)
    if name in _SHIMS:
        return importlib.import_module(_SHIMS[name])
    # `import sklearn.svm` makes svm an attribute of the real sklearn only.
    imported = sys.modules.get("sklearn." + name)
    return imported if imported is not None else getattr(_now, name)
