"""tensorboard, which was a dependency of TensorFlow until 2.20, with its first `tensorboard.summary`.

`tensorboard.plugins.projector`, which writes a small text file, works without the package.
"""
import importlib
from typing import Any, List

from legacy_towers.run.libraries import views as _views

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


def attribute(module: str, name: str) -> Any:
    """Returns the attribute or module `name` of a module of the installed package.

    Raises:
      ModuleNotFoundError: the package is not installed.
      AttributeError: it has no such name.
    """
    if name in _views.OF_IMPORTS and name != "__all__":
        raise AttributeError(name)
    try:
        found = installed(module)
        if hasattr(found, name) or name.startswith("_"):
            return getattr(found, name)
        try:
            return importlib.import_module("{}.{}".format(module, name))
        except ModuleNotFoundError as error:
            if error.name != "{}.{}".format(module, name):
                raise
            return getattr(found, name)
    except ModuleNotFoundError as error:
        # Python and its tools look for names such as __wrapped__ in every module.
        if error.name == "tensorboard" and name.startswith("__") and name != "__version__":
            raise AttributeError(name) from None
        raise


def __getattr__(name: str) -> Any:
    if name in _SHIMS:
        return importlib.import_module(_SHIMS[name])
    return attribute("tensorboard", name)


def __dir__() -> List[str]:
    return sorted(set(dir(installed("tensorboard"))) | set(_SHIMS))
