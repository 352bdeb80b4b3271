"""urllib2, whose names are in three modules of Python 3."""
from typing import Any

_MODULES = ("urllib.request", "urllib.error", "urllib.parse")


def __getattr__(name: str) -> Any:
    import importlib

    for module in map(importlib.import_module, _MODULES):
        if hasattr(module, name):
            return getattr(module, name)
    raise AttributeError("module 'urllib2' has no attribute {!r}".format(name))
