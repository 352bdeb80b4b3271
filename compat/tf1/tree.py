"""The view of TensorFlow 1.x: a tree of modules with the API of TensorFlow 1.15, from `tensorflow` down.

    tree.module("tensorflow")                        what `import tensorflow as tf` gives an old script
    tree.module("tensorflow.contrib.layers")         and `import tensorflow.contrib.layers as layers`

A name is looked up in this order: the symbols of `registry`; TensorFlow's own module of the same name; TensorFlow's
modules that are not imported yet (`tensorflow.python.ops.x`); the table of names that TensorFlow moved. If it is found
nowhere, an error names the script's line and what to use instead. An unsupported module of tf.contrib can be imported:
the error is raised at the first use of one of its names.

TensorFlow itself is not changed, and `sys.modules["tensorflow"]` is the real module.

On TensorFlow 1.15 the modules of the tree are TensorFlow's own, except those with a symbol of `on_1_15` in or below
them, and those with an unsupported name of 0.12.

Importing this module reads no symbols: a script that runs need not import TensorFlow.

`install` makes the tree importable as `legacy_towers.compat.tf1.importable.tensorflow`. Under `legacy-towers run` the
import statements of scripts are rewritten to that name.
"""
import functools
import importlib
import importlib.machinery
import importlib.util
import sys
import types
from typing import Any, Dict, Iterable, List, Optional, Sequence, Tuple

from legacy_towers.compat.tf1 import script_api, symbols, user_script
from legacy_towers.compat.versions import supported

ROOT = "tensorflow"
# The name under which the tree is imported.
IMPORTED_AS = "legacy_towers.compat.tf1.importable.tensorflow"
# TensorFlow's own name of its TF1 API, an alias of the root.
_SAME_AS_ROOT = ("tensorflow.compat.v1",)
_CONTRIB = ROOT + ".contrib."
# Private packages of TensorFlow that scripts import from.
_PRIVATE_PACKAGES = ("python", "core", "compiler", "tools", "lite", "security", "distribute", "dtensor")


class OldModule(types.ModuleType):
    """One module of the tree.

    Args:
      name: the full name in TensorFlow 1.15: "tensorflow.contrib.layers".
      source: the module, of TensorFlow or this package, that has its attributes; None if it only has symbols below it.
    """

    def __init__(self, name: str, source: Any) -> None:
        super().__init__(IMPORTED_AS + name[len(ROOT) :], getattr(source, "__doc__", None))
        _module_names().own(self).update(_old_name=name, _source=source)
        # Any module of the tree may have submodules, so each is a package.
        self.__path__: List[str] = []

    def __getattr__(self, name: str) -> Any:
        # Called only for names that are not in the real __dict__: once per name.
        if name in ("_old_name", "_source"):
            raise AttributeError(name)
        if name == "__all__":
            return _public_names(self)
        is_dunder = name.startswith("__") and name.endswith("__")
        if is_dunder and "{}.{}".format(self._old_name, name) not in _rows():
            if self._source is not None and hasattr(self._source, name):
                return getattr(self._source, name)
            raise AttributeError(name)
        # setdefault: threads that use the name at the same time get the same module.
        return _module_names().own(self).setdefault(name, _look_up(self._old_name, self._source, name))

    @property
    def __dict__(self) -> Any:  # type: ignore[override]
        """All names; the real __dict__ has only those that were used."""
        return _module_names().ModuleNames(self)

    def __dir__(self) -> List[str]:
        below = len(self._old_name) + 1
        supported_names = {row[below:].split(".")[0] for row in _rows() if row.startswith(self._old_name + ".")}
        return sorted(supported_names | set(dir(self._source) if self._source is not None else ()))

    def __reduce__(self) -> Any:
        # joblib, for example, sends the globals of a function to other processes.
        return module, (self._old_name,)

    def __repr__(self) -> str:
        return "<{} of TensorFlow 1.x>".format(_missing().short_name(self._old_name))


def module(name: str) -> Any:
    """Returns the module `name` of the tree, "tensorflow" or a module below it.

    Raises:
      MissingModule: neither TensorFlow nor this package has it.
    """
    install()
    return importlib.import_module(IMPORTED_AS + name[len(ROOT) :])


@functools.lru_cache(maxsize=None)
def root() -> OldModule:
    """Returns the root of the tree, for the modules of `importable`; other code calls `module`."""
    return OldModule(ROOT, _root_source())


def install() -> None:
    """Makes the tree importable; further calls have no effect."""
    if not any(isinstance(finder, _Finder) for finder in sys.meta_path):
        sys.meta_path.insert(0, _Finder(ROOT))


def is_needed() -> bool:
    """Returns whether scripts need the tree: not on TensorFlow 1.15 without any symbol of `on_1_15`.

    Imports no TensorFlow, since a script may set environment variables before it does so itself.
    """
    version = supported.tensorflow_version()
    return version is None or version.pair != (1, 15) or bool(_registry().rows(is_1_15=True))


def is_unsupported(value: Any) -> bool:
    """Returns whether `value` is a module of TensorFlow 1.15's tf.contrib of which no name is supported."""
    return isinstance(value, OldModule) and value._source is None and _is_module_of_contrib(value._old_name) and not (
        _has_rows_below(value._old_name)
    )


@functools.lru_cache(maxsize=None)
def is_1_15() -> bool:
    """Returns whether TensorFlow 1.15 runs, which has all the names itself."""
    from legacy_towers.compat.versions import tf

    return bool(tf.__version__.startswith("1.15"))


class _Finder(script_api.ViewFinder):
    """Finds the modules of the tree under their import names."""

    def module(self, name: str) -> Any:
        return module(name)

    def is_imported(self) -> bool:
        return IMPORTED_AS in sys.modules

    def forget(self, names: Iterable[str]) -> None:
        if not self.is_imported():
            return
        dropped = {_forget(name.split(".")) for name in names}
        for name in [each for each in list(sys.modules) if each.startswith(IMPORTED_AS + ".")]:
            parts = name[len(IMPORTED_AS) + 1 :].split(".")
            if any(".".join(parts[:count]) in dropped for count in range(1, len(parts) + 1)):
                del sys.modules[name]

    def find_spec(self, fullname: str, path: Optional[Sequence[Any]], target: Any = None) -> Any:
        if fullname == IMPORTED_AS or fullname.startswith(IMPORTED_AS + "."):
            loader: Any = self  # without importlib.abc.Loader, whose import takes 20 ms
            return importlib.machinery.ModuleSpec(fullname, loader, is_package=True)
        return None

    def create_module(self, spec: Any) -> Any:
        """Returns None: the import system would write its spec into the real module of TensorFlow."""

    def exec_module(self, module: Any) -> None:
        """Replaces the empty `module` in `sys.modules` with the module of the tree."""
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
    if value is not None and _has_rows_below(name):  # a function with the name of the module
        return OldModule(name, None)
    raise _missing().missing_module(name)


def _module_of_1_15(name: str) -> Any:
    # Imported, as Python does: the attribute `ops` of tensorflow.python is another module than tensorflow.python.ops.
    try:
        return importlib.import_module(name)
    except ModuleNotFoundError as error:
        if error.name is None or not (name + ".").startswith(error.name + "."):
            raise
        if _has_rows_below(name):  # a package from before 1.15, or a name of its parent, such as tf.flags
            parent, _, last = name.rpartition(".")
            return getattr(module(parent), last)
        raise _missing().missing_module(name) from None


def _root_source() -> Any:
    from legacy_towers.compat.versions import tf

    user_script.tensorflow_is_imported()
    # TensorFlow 1.15's own module has names that its compat.v1 lacks.
    return importlib.import_module(ROOT) if is_1_15() else tf


def _forget(parts: List[str]) -> str:
    """Drops the cached value of a dotted name, or the first of TensorFlow's own modules on the path to it.

    Returns the name of what was dropped, below the root.
    """
    current: Any = root()
    last = 1
    while last < len(parts) - 1:
        below = _module_names().own(current).get(parts[last])
        if not isinstance(below, OldModule):
            break
        current, last = below, last + 1
    _module_names().own(current).pop(parts[last], None)
    return ".".join(parts[1 : last + 1])


def _registry() -> Any:
    from legacy_towers.compat.tf1 import registry

    return registry


def _module_names() -> Any:
    from legacy_towers.compat.tf1 import module_names

    return module_names


def _moved_names() -> Any:
    from legacy_towers.compat.tf1.private import moved_names

    return moved_names


def _missing() -> Any:
    from legacy_towers.compat.tf1 import missing

    return missing


def _rows() -> Dict[str, symbols.Symbol]:
    run = user_script.running()
    return _rows_with(run.symbols if run is not None else ())


@functools.lru_cache(maxsize=None)
def _rows_with(of_script: Tuple[symbols.Symbol, ...]) -> Dict[str, symbols.Symbol]:
    return _registry().rows(is_1_15(), of_script)


def _look_up(parent: str, source: Any, name: str) -> Any:
    whole = "{}.{}".format(parent, name)
    if whole in _SAME_AS_ROOT and not is_1_15():
        return module(ROOT)
    rows = _rows()
    if whole in rows:
        return _as_old_module(whole, symbols.load(rows[whole].target))
    found = _source_attribute(whole, source, name)
    if found is None and (_has_rows_below(whole) or _is_module_of_contrib(whole)):
        return OldModule(whole, None)
    if found is None:
        raise _missing().missing_name(whole)
    return _as_old_module(whole, found[0])


def _source_attribute(whole: str, source: Any, name: str) -> Any:
    """Returns (value,) of the name in TensorFlow, None if it has none."""
    if whole == ROOT + ".contrib" and not is_1_15():  # legacy_towers.compat.tf.contrib is a module of this tree
        return None
    try:
        if source is not None and whole != ROOT + ".python":
            return (_attribute(source, name),)
    except AttributeError:
        pass
    # TensorFlow does not import all of its modules itself.
    return (importlib.import_module(whole),) if _is_unimported_module(whole) else _moved_names().find(whole)


def _attribute(source: Any, name: str) -> Any:
    where = user_script.calling_line() if is_1_15() else None
    if where is None:
        return getattr(source, name)
    # TensorFlow 1.15 warns of deprecated names with the line of the caller: this makes it the script's line.
    line = "\n" * (where.line - 1) + "value = getattr(source, name)"
    names = {"source": source, "name": name}
    exec(compile(line, where.path, "exec"), names)
    return names["value"]


def _is_unimported_module(whole: str) -> bool:
    parts = whole.split(".")
    if parts[1] not in _PRIVATE_PACKAGES:
        return False
    try:
        return importlib.util.find_spec(whole) is not None
    except ModuleNotFoundError:  # its parent is not a package
        return False


def _is_module_of_contrib(whole: str) -> bool:
    # Scripts import modules of tf.contrib that they don't use, or only with some flags: the error is raised at the
    # first use. That includes modules below, such as tf.contrib.tpu.python.tpu.async_checkpoint.
    if not whole.startswith(_CONTRIB) or (whole.count(".") != 2 and ".python." not in whole):
        return False
    from legacy_towers.compat.tf1 import known_names

    return known_names.is_module_of_1_15(whole)


def _has_rows_below(whole: str) -> bool:
    return any(row.startswith(whole + ".") for row in _rows())


def _as_old_module(whole: str, value: Any) -> Any:
    if not isinstance(value, types.ModuleType) or isinstance(value, OldModule):
        return value
    if is_1_15() and not _has_rows_below(whole) and whole not in _registry().modules_with_reasons_on_1_15():
        return value
    return OldModule(whole, value)


def _public_names(of: OldModule) -> List[str]:
    """Returns the names that `from module import *` imports: all public names that can be looked up."""
    return [name for name in dir(of) if not name.startswith("_") and hasattr(of, name)]
