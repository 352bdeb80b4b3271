"""Multi-device ("tower") training on TF1 sessions, on TF 1.15 and on TF 2.13 to 2.21.

Names are loaded when they are first used, so that `import legacy_towers` imports no TensorFlow.
"""
import importlib
from typing import Any, List

from legacy_towers.version import VERSION as __version__

_MODULES = ("devices", "inputs", "variables")
_NAMES = {
    "session_config": "legacy_towers.config",
    "placement": "legacy_towers.placement",
}

__all__ = sorted(set(_MODULES) | set(_NAMES) | {"__version__"})


def __getattr__(name: str) -> Any:
    if name in _NAMES:
        value = getattr(importlib.import_module(_NAMES[name]), name)
    elif name in _MODULES:
        value = importlib.import_module("legacy_towers." + name)
    else:
        raise AttributeError("module {!r} has no attribute {!r}".format(__name__, name))
    globals()[name] = value
    return value


def __dir__() -> List[str]:
    return list(__all__)
