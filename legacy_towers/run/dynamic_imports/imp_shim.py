"""imp, whose `load_source` loads a file as the script's import statements do.

Python 3.12 removed the module; there the shim has the functions that scripts use.
"""
import importlib
import sys
import types
import warnings
from typing import Any, Optional

from legacy_towers.run.dynamic_imports import util_shim

try:
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", DeprecationWarning)
        _now: Any = importlib.import_module("imp")
    globals().update({name: value for name, value in vars(_now).items() if not name.startswith("_")})
except ModuleNotFoundError:
    _now = None
    reload = importlib.reload


def load_source(name: str, pathname: str, file: Optional[Any] = None) -> types.ModuleType:
    """Loads the file at `pathname` as the module `name`, again if it is loaded already.

    Raises:
      ImportError: it is not a Python file.
    """
    spec = util_shim.spec_from_file_location(name, pathname)
    if spec is None or spec.loader is None:
        raise ImportError("{} is not a Python file".format(pathname), name=name, path=pathname)
    module = importlib.util.module_from_spec(spec)
    sys.modules[name] = module
    spec.loader.exec_module(module)
    return sys.modules[name]


def new_module(name: str) -> types.ModuleType:
    """Returns an empty module."""
    return types.ModuleType(name)


def __getattr__(name: str) -> Any:
    if name.startswith("__") or not hasattr(_now, name):
        raise AttributeError("module 'imp' has no attribute {!r}".format(name))
    return getattr(_now, name)
