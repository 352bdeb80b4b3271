"""tensorboard.plugins: those of the package, and `projector` without it, too."""
import importlib
from typing import Any

from legacy_towers.oldtf.changed.tensorboard_view import now as _module


def __getattr__(name: str) -> Any:
    if name.startswith("__"):
        raise AttributeError(name)
    try:
        return _module("tensorboard.plugins." + name)
    except ModuleNotFoundError as error:
        if error.name == "tensorboard" and name == "projector":
            return importlib.import_module("legacy_towers.oldtf.contrib.tensorboard.plugins.projector")
        raise
