"""tensorboard.plugins; `projector` works without the package."""
import importlib
from typing import Any

from legacy_towers.run.libraries.tensorboard import installed as _installed


def __getattr__(name: str) -> Any:
    if name.startswith("__"):
        raise AttributeError(name)
    try:
        return _installed("tensorboard.plugins." + name)
    except ModuleNotFoundError as error:
        if error.name == "tensorboard" and name == "projector":
            return importlib.import_module("legacy_towers.compat.tf1.contrib.tensorboard.plugins.projector")
        raise
