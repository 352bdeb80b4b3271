"""TensorFlow 1.x as an old script sees it: a tree of modules, from `tensorflow` down.

    tree.module("tensorflow")                        what `import tensorflow as tf` gives an old script
    tree.module("tensorflow.contrib.layers")         and `import tensorflow.contrib.layers as layers`

A name is looked up in three places, in this order: the rows of `provided`; TensorFlow's own module of the same name;
and, below `tensorflow.python`, TensorFlow's modules that nobody has imported yet. What is in none of them raises one
error that says what it was. Nothing of TensorFlow is changed: the tree stands beside it, and
`sys.modules["tensorflow"]` stays the real one.

`install` makes the tree importable as `legacy_towers.oldtf.tf1`, which is where the launcher sends the import
statements of scripts.
"""
import functools
import importlib
import importlib.abc
import importlib.machinery
import importlib.util
import sys
import types
from typing import Any, Dict, List, Optional, Sequence

from legacy_towers.oldtf import missing, provided

ROOT = "tensorflow"
# The name under which the tree is imported.
IMPORTED_AS = "legacy_towers.oldtf.tf1"
# TensorFlow's own TF1 API; its modules are modules of the tree's root.
_SAME_AS_ROOT = ("tensorflow.compat.v1",)


class OldModule(types.ModuleType):
    """One module of the tree.

    Args:
      name: from the root: "tensorflow.contrib.layers".
      behind: TensorFlow's or our module of this name; None where there are only rows below it.
    """

    def __init__(self, name: str, behind: Any) -> None:
        super().__init__(IMPORTED_AS + name[len(ROOT) :], getattr(behind, "__doc__", None))
        self.__dict__["_old_name"] = name
        self.__dict__["_behind"] = behind
        # A package, for any of them may have modules below.
        self.__path__: List[str] = []

    def __getattr__(self, name: str) -> Any:
        # Called for what is not in __dict__ only: each name is looked up once.
        if name in ("_old_name", "_behind") or (name.startswith("__") and name.endswith("__")):
            behind = self.__dict__.get("_behind")
            if behind is not None and hasattr(behind, name):
                return getattr(behind, name)
            raise AttributeError(name)
        value = _look_up(self._old_name, self._behind, name)
        self.__dict__[name] = value
        return value

    def __dir__(self) -> List[str]:
        below = len(self._old_name) + 1
        served = {row[below:].split(".")[0] for row in _rows() if row.startswith(self._old_name + ".")}
        return sorted(served | set(dir(self._behind) if self._behind is not None else ()))

    def __repr__(self) -> str:
        return "<{} of TensorFlow 1.x>".format(missing.spoken(self._old_name))


def module(name: str) -> Any:
    """Returns the module `name` of the tree, "tensorflow" or one below it.

    Raises:
      MissingModule: neither TensorFlow nor we have it.
    """
    install()
    return importlib.import_module(IMPORTED_AS + name[len(ROOT) :])


def install() -> None:
    """Makes the tree importable; more than once does no harm."""
    if not any(isinstance(finder, _Finder) for finder in sys.meta_path):
        sys.meta_path.insert(0, _Finder())


def is_1_15() -> bool:
    """Returns whether the TensorFlow that runs is 1.15, which has all the names itself."""
    from legacy_towers.compat import tf

    return bool(tf.__version__.startswith("1.15"))


class _Finder(importlib.abc.MetaPathFinder, importlib.abc.Loader):
    """Finds the modules of the tree under their import names."""

    def find_spec(self, fullname: str, path: Optional[Sequence[Any]], target: Any = None) -> Any:
        if fullname == IMPORTED_AS or fullname.startswith(IMPORTED_AS + "."):
            return importlib.machinery.ModuleSpec(fullname, self, is_package=True)
        return None

    def create_module(self, spec: Any) -> Any:
        if spec.name == IMPORTED_AS:
            return OldModule(ROOT, _root_behind())
        parent, _, last = spec.name.rpartition(".")
        value = getattr(sys.modules[parent], last, None)
        if isinstance(value, types.ModuleType):
            return value
        name = ROOT + spec.name[len(IMPORTED_AS) :]
        raise missing.MissingModule(missing.sentence(name), name=name)

    def exec_module(self, module: Any) -> None:
        """Nothing is left to do: the module looks its names up when they are asked for."""


def _root_behind() -> Any:
    from legacy_towers.compat import tf

    # TensorFlow 1.15's own module has names that its compat.v1 lacks.
    return importlib.import_module(ROOT) if is_1_15() else tf


@functools.lru_cache(maxsize=None)
def _rows() -> Dict[str, provided.Row]:
    return provided.rows(is_1_15())


def _look_up(parent: str, behind: Any, name: str) -> Any:
    whole = "{}.{}".format(parent, name)
    if whole in _SAME_AS_ROOT:
        return module(ROOT)
    rows = _rows()
    if whole in rows:
        return _as_old_module(whole, provided.load(rows[whole].target))
    found = _behind_attribute(whole, behind, name)
    if found is None and any(row.startswith(whole + ".") for row in rows):
        return OldModule(whole, None)
    if found is None:
        raise missing.MissingName(missing.sentence(whole))
    return _as_old_module(whole, found[0])


def _behind_attribute(whole: str, behind: Any, name: str) -> Any:
    """Returns (value,) of what TensorFlow has under the name, None if it has nothing."""
    if whole == ROOT + ".python":
        return (importlib.import_module(whole),)
    if whole == ROOT + ".contrib" and not is_1_15():  # what legacy_towers.compat.tf has there is this tree's own
        return None
    try:
        return (getattr(behind, name),) if behind is not None else None
    except AttributeError:
        pass
    if whole.startswith(ROOT + ".python."):  # TensorFlow imports not all of its modules itself
        try:
            return (importlib.import_module(whole),)
        except ModuleNotFoundError:
            return None
    return None


def _as_old_module(whole: str, value: Any) -> Any:
    if not isinstance(value, types.ModuleType) or isinstance(value, OldModule):
        return value
    return OldModule(whole, value)
