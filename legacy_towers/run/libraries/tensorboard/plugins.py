"""tensorboard.plugins; `projector` works without the package."""
import importlib
from typing import Any, List

from legacy_towers.run.libraries.tensorboard import attribute as _attribute
from legacy_towers.run.libraries.tensorboard import installed as _installed


def __getattr__(name: str) -> Any:
    try:
        return _attribute("tensorboard.plugins", name)
    except ModuleNotFoundError as error:
        if error.name == "tensorboard" and name == "projector":
            return importlib.import_module("legacy_towers.compat.tf1.contrib.tensorboard.plugins.projector")
        raise


def __dir__() -> List[str]:
    return dir(_installed("tensorboard.plugins"))
