"""imp, which Python 3.12 dropped: where it is gone, what scripts use of it to load a file or a module again."""
import importlib
import sys
import types
import warnings
from typing import Any, Optional

try:
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", DeprecationWarning)
        _now = importlib.import_module("imp")
    globals().update({name: value for name, value in vars(_now).items() if not name.startswith("_")})
except ModuleNotFoundError:
    reload = importlib.reload


def load_source(name: str, pathname: str, file: Optional[Any] = None) -> types.ModuleType:
    """Loads the file at `pathname` as the module `name`, anew where it is loaded already."""
    from legacy_towers.oldtf.launch import dynamic_util

    spec = dynamic_util.spec_from_file_location(name, pathname)
    if spec is None or spec.loader is None:
        raise ImportError("{} is no Python file".format(pathname), name=name, path=pathname)
    module = importlib.util.module_from_spec(spec)
    sys.modules[name] = module
    spec.loader.exec_module(module)
    return sys.modules[name]


def new_module(name: str) -> types.ModuleType:
    """Returns an empty module."""
    return types.ModuleType(name)
