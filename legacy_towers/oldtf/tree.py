"""TensorFlow 1.x as an old script sees it: a tree of modules, from `tensorflow` down.

    tree.module("tensorflow")                        what `import tensorflow as tf` gives an old script
    tree.module("tensorflow.contrib.layers")         and `import tensorflow.contrib.layers as layers`

A name is looked up in three places, in this order: the rows of `provided`; TensorFlow's own module of the same name;
and TensorFlow's modules that nobody has imported yet (`tensorflow.python.ops.x`). What is in none of them raises one
error that says where it was used and what it was. A part of tf.contrib that nothing serves is an empty module: the
error is that of the first name that a script takes from it.

Nothing of TensorFlow is changed: the tree stands beside it, and `sys.modules["tensorflow"]` stays the real one.

On TensorFlow 1.15 the tree is made of TensorFlow's own modules, but for those that have a row with `on_1_15` or one
below them.

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

from legacy_towers.compat import old_places, versions
from legacy_towers.oldtf import current, known_names, missing, module_names, provided

ROOT = "tensorflow"
# The name under which the tree is imported.
IMPORTED_AS = current.TREE
# TensorFlow's own TF1 API; its modules are modules of the tree's root.
_SAME_AS_ROOT = ("tensorflow.compat.v1",)
_CONTRIB = ROOT + ".contrib."
# Packages of TensorFlow that are no part of its API; scripts import from them all the same.
_PRIVATE_PACKAGES = ("python", "core", "compiler", "tools", "lite", "security", "distribute", "dtensor")


class OldModule(types.ModuleType):
    """One module of the tree.

    Args:
      name: from the root: "tensorflow.contrib.layers".
      behind: TensorFlow's or our module of this name; None where there are only rows below it.
    """

    def __init__(self, name: str, behind: Any) -> None:
        super().__init__(IMPORTED_AS + name[len(ROOT) :], getattr(behind, "__doc__", None))
        module_names.own(self).update(_old_name=name, _behind=behind)
        # A package, for any of them may have modules below.
        self.__path__: List[str] = []

    def __getattr__(self, name: str) -> Any:
        # Called for what the module does not hold only: each name is looked up once.
        if name in ("_old_name", "_behind"):
            raise AttributeError(name)
        if name == "__all__":
            return _public_names(self)
        is_dunder = name.startswith("__") and name.endswith("__")
        if is_dunder and "{}.{}".format(self._old_name, name) not in _rows():
            if self._behind is not None and hasattr(self._behind, name):
                return getattr(self._behind, name)
            raise AttributeError(name)
        # Threads that ask at the same time get the same module.
        return module_names.own(self).setdefault(name, _look_up(self._old_name, self._behind, name))

    @property
    def __dict__(self) -> Any:  # type: ignore[override]
        """All names, of which the module holds only those that were asked for."""
        return module_names.ModuleNames(self)

    def __dir__(self) -> List[str]:
        below = len(self._old_name) + 1
        served = {row[below:].split(".")[0] for row in _rows() if row.startswith(self._old_name + ".")}
        return sorted(served | set(dir(self._behind) if self._behind is not None else ()))

    def __reduce__(self) -> Any:
        # joblib and its kin send the globals of a function to other processes.
        return module, (self._old_name,)

    def __repr__(self) -> str:
        return "<{} of TensorFlow 1.x>".format(missing.spoken(self._old_name))


def module(name: str) -> Any:
    """Returns the module `name` of the tree, "tensorflow" or one below it.

    Raises:
      MissingModule: neither TensorFlow nor we have it.
    """
    install()
    return importlib.import_module(IMPORTED_AS + name[len(ROOT) :])


@functools.lru_cache(maxsize=None)
def root() -> OldModule:
    """Returns the module at the root of the tree, for `install` and `oldtf.tf1`; anybody else asks `module`."""
    return OldModule(ROOT, _root_behind())


def install() -> None:
    """Makes the tree importable; more than once does no harm."""
    if not any(isinstance(finder, _Finder) for finder in sys.meta_path):
        sys.meta_path.insert(0, _Finder())


def is_needed() -> bool:
    """Returns whether scripts see the tree; on TensorFlow 1.15 without a row for it, the real one is as good.

    Imports no TensorFlow: a script sets environment variables before it does so itself.
    """
    version = versions.tensorflow_version()
    return version is None or version.pair != (1, 15) or bool(provided.rows(is_1_15=True))


def is_unserved(value: Any) -> bool:
    """Returns whether `value` is a part of tf.contrib that TensorFlow 1.15 had, and of which nothing is served."""
    return isinstance(value, OldModule) and value._behind is None and _is_unserved_part(value._old_name) and not (
        _has_rows_below(value._old_name)
    )


@functools.lru_cache(maxsize=None)
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
        """Leaves that to `exec_module`: import would write its spec into a module of TensorFlow's own."""

    def exec_module(self, module: Any) -> None:
        """Puts the module of the tree in the place of the empty `module`."""
        sys.modules[module.__name__] = _module_called(module.__name__)


def _module_called(fullname: str) -> Any:
    if fullname == IMPORTED_AS:
        return root()
    name = ROOT + fullname[len(IMPORTED_AS) :]
    if is_1_15() and name not in _rows():
        return _as_old_module(name, _module_of_1_15(name))
    parent, _, last = fullname.rpartition(".")
    value = getattr(sys.modules[parent], last, None)
    if isinstance(value, types.ModuleType):
        return value
    if value is not None and _has_rows_below(name):  # a function that hides the module of the same name
        return OldModule(name, None)
    raise missing.missing_module(name)


def _module_of_1_15(name: str) -> Any:
    # By import, as python does: what tensorflow.python has as `ops` is another module than tensorflow.python.ops.
    try:
        return importlib.import_module(name)
    except ModuleNotFoundError as error:
        if error.name is None or not (name + ".").startswith(error.name + "."):
            raise
        if _has_rows_below(name):  # a package from before 1.15
            return OldModule(name, None)
        raise missing.missing_module(name) from None


def _root_behind() -> Any:
    from legacy_towers.compat import tf
    from legacy_towers.oldtf.changed import libraries

    if current.running() is not None:
        # What sessions return is printed as it was. Not before: a script sets OMP_NUM_THREADS, and then imports numpy.
        libraries.prepare()
    current.tensorflow_is_imported()
    # TensorFlow 1.15's own module has names that its compat.v1 lacks.
    return importlib.import_module(ROOT) if is_1_15() else tf


@functools.lru_cache(maxsize=None)
def _rows() -> Dict[str, provided.Row]:
    return provided.rows(is_1_15())


def _look_up(parent: str, behind: Any, name: str) -> Any:
    whole = "{}.{}".format(parent, name)
    if whole in _SAME_AS_ROOT and not is_1_15():
        return module(ROOT)
    rows = _rows()
    if whole in rows:
        return _as_old_module(whole, provided.load(rows[whole].target))
    found = _behind_attribute(whole, behind, name)
    if found is None and (_has_rows_below(whole) or _is_unserved_part(whole)):
        return OldModule(whole, None)
    if found is None:
        raise missing.missing_name(whole)
    return _as_old_module(whole, found[0])


def _behind_attribute(whole: str, behind: Any, name: str) -> Any:
    """Returns (value,) of what TensorFlow has under the name, None if it has nothing."""
    if whole == ROOT + ".contrib" and not is_1_15():  # what legacy_towers.compat.tf has there is this tree's own
        return None
    try:
        if behind is not None and whole != ROOT + ".python":
            return (_attribute(behind, name),)
    except AttributeError:
        pass
    # TensorFlow imports not all of its modules itself.
    return (importlib.import_module(whole),) if _is_unimported_module(whole) else old_places.find(whole)


def _attribute(behind: Any, name: str) -> Any:
    where = current.place() if is_1_15() else None
    if where is None:
        return getattr(behind, name)
    # TensorFlow 1.15 warns of deprecated names with the place of its caller: let that be the script's line.
    line = "\n" * (where.line - 1) + "value = getattr(behind, name)"
    names = {"behind": behind, "name": name}
    exec(compile(line, where.path, "exec"), names)
    return names["value"]


def _is_unimported_module(whole: str) -> bool:
    parts = whole.split(".")
    if parts[1] not in _PRIVATE_PACKAGES:
        return False
    try:
        return importlib.util.find_spec(whole) is not None
    except ModuleNotFoundError:  # its parent is no package
        return False


def _is_unserved_part(whole: str) -> bool:
    # Scripts import parts that they then don't use, or only if a flag says so: the error is that of the first use.
    # So are modules inside of a part, tf.contrib.tpu.python.tpu.async_checkpoint for one.
    is_part_or_inside = whole.count(".") == 2 or ".python." in whole
    return whole.startswith(_CONTRIB) and is_part_or_inside and known_names.is_module_of_1_15(whole)


def _has_rows_below(whole: str) -> bool:
    return any(row.startswith(whole + ".") for row in _rows())


def _as_old_module(whole: str, value: Any) -> Any:
    if not isinstance(value, types.ModuleType) or isinstance(value, OldModule):
        return value
    if is_1_15() and not _has_rows_below(whole):
        return value
    return OldModule(whole, value)


def _public_names(of: OldModule) -> List[str]:
    """Returns what `from module import *` takes: all public names that are really there."""
    return [name for name in dir(of) if not name.startswith("_") and hasattr(of, name)]
