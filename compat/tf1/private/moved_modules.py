"""TensorFlow's private modules with the names that 2.x moved elsewhere, for libraries that import them.

The table of these names is in `moved_names`.
"""
import importlib
import types
from typing import Any, Dict

from legacy_towers.compat.tf1.private import moved_names


class ModuleWithMovedNames(types.ModuleType):
    """A module of TensorFlow with its names and those that were moved out of it.

    Args:
      name: the full name of the module: "tensorflow.python.ops.array_ops".
    """

    def __getattr__(self, name: str) -> Any:
        # Called only for names that are not in __dict__: once per name.
        if name.startswith("__"):
            raise AttributeError(name)
        module = importlib.import_module(self.__name__)
        found = (getattr(module, name),) if hasattr(module, name) else moved_names.find(self.__name__ + "." + name)
        if found is None:
            raise AttributeError("module {!r} has no attribute {!r}".format(self.__name__, name))
        self.__dict__[name] = found[0]
        return found[0]


def modules_with_moved_names() -> Dict[str, ModuleWithMovedNames]:
    """Returns name -> module for each module of TensorFlow that names were moved out of."""
    return {name: ModuleWithMovedNames(name) for name in {old.rpartition(".")[0] for old in moved_names.locations()}}
