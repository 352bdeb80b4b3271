"""tensorboard, which was a dependency of TensorFlow until 2.20, with its first `tensorboard.summary`.

`tensorboard.plugins.projector`, which writes a small text file, works without the package.
"""
import importlib
from typing import Any

_SHIMS = {name: "legacy_towers.run.libraries.tensorboard." + name for name in ("plugins", "summary")}


def installed(name: str) -> Any:
    """Imports the module `name` of the installed package.

    Raises:
      ModuleNotFoundError: the package is not installed, or has no such module.
    """
    try:
        return importlib.import_module(name)
    except ModuleNotFoundError as error:
        if error.name != "tensorboard":
            raise
        message = (
            "No module named 'tensorboard': since TensorFlow 2.21 it is not a dependency; pip install tensorboard"
        )
        raise ModuleNotFoundError(message, name="tensorboard") from None


def __getattr__(name: str) -> Any:
    if name in _SHIMS:
        return importlib.import_module(_SHIMS[name])
    if name.startswith("__"):
        raise AttributeError(name)
    return getattr(installed("tensorboard"), name)
