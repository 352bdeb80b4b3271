"""TensorFlow's private modules with the names that they had, for libraries that take them from there.

Where those names are today is in `old_places`.
"""
import importlib
import types
from typing import Any, Dict

from legacy_towers.compat import old_places


class AsItWas(types.ModuleType):
    """A module of TensorFlow as it was: what it has, and what it had.

    Args:
      name: of the module, "tensorflow.python.ops.array_ops".
    """

    def __getattr__(self, name: str) -> Any:
        # Called for what is not in __dict__ only: each name is looked up once.
        if name.startswith("__"):
            raise AttributeError(name)
        module = importlib.import_module(self.__name__)
        found = (getattr(module, name),) if hasattr(module, name) else old_places.find(self.__name__ + "." + name)
        if found is None:
            raise AttributeError("module {!r} has no attribute {!r}".format(self.__name__, name))
        self.__dict__[name] = found[0]
        return found[0]


def modules_as_they_were() -> Dict[str, AsItWas]:
    """Returns name -> module, for each module of TensorFlow that lost names."""
    return {name: AsItWas(name) for name in {dotted.rpartition(".")[0] for dotted in old_places.places()}}
