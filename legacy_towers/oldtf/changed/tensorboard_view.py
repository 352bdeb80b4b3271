"""tensorboard, which TensorFlow brought along until 2.20, with the names of `tensorboard.summary` that it then had.

Without the package, `tensorboard.plugins.projector` is still served: it writes a small file of text.
"""
import importlib
from typing import Any

_VIEWS = {name: "legacy_towers.oldtf.changed.tensorboard_" + name for name in ("plugins", "summary")}


def now(name: str) -> Any:
    """Returns the module `name` of the package.

    Raises:
      ModuleNotFoundError: the package is not installed, or has no such module.
    """
    try:
        return importlib.import_module(name)
    except ModuleNotFoundError as error:
        if error.name != "tensorboard":
            raise
        message = "No module named 'tensorboard': TensorFlow brought it along until 2.20; pip install tensorboard"
        raise ModuleNotFoundError(message, name="tensorboard") from None


def __getattr__(name: str) -> Any:
    if name in _VIEWS:
        return importlib.import_module(_VIEWS[name])
    if name.startswith("__"):
        raise AttributeError(name)
    return getattr(now("tensorboard"), name)
