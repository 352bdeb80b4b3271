"""The modules of the package `keras`, as `legacy_towers.compat.tf1.importable.keras`; `module_paths` lists them."""
import functools
import importlib
import importlib.abc
import importlib.machinery
import sys
import types
from typing import Any, Iterable, List, Optional, Sequence

from legacy_towers.compat.tf1 import missing, script_api, user_script
from legacy_towers.compat.tf1.keras.standalone.module_paths import MODULES, OF_ROOT, OWN, ROOT, SOURCE, VERSION

IMPORTED_AS = "legacy_towers.compat.tf1.importable.keras"
_NOTHING: Any = object()


class StandaloneKerasModule(types.ModuleType):
    """The package `keras` or a module below it.

    Args:
      path: below keras: "layers.convolutional"; empty for the package.
    """

    def __init__(self, path: str) -> None:
        super().__init__(IMPORTED_AS + ("." + path if path else ""))
        self.__dict__["_path"] = path
        self.__path__: List[str] = []

    def __getattr__(self, name: str) -> Any:
        # Called only for names that are not in __dict__: once per name.
        if name == "__all__":
            return [each for each in dir(self) if not each.startswith("_")]
        if name == "__version__":
            return VERSION
        if name == "_path" or (name.startswith("__") and name.endswith("__")):
            raise AttributeError(name)
        value = _look_up(self._path, name)
        if value is _NOTHING:
            raise missing.MissingName(_with_line(_joined(self._path, name)))
        return self.__dict__.setdefault(name, value)

    def __call__(self, *arguments: Any, **options: Any) -> Any:
        """Calls the function keras.layers.merge, which has the name of a module."""
        if self._path != "layers.merge":
            raise TypeError("{!r} is a module and can't be called".format(self))
        from legacy_towers.compat.tf1.keras.standalone import layers

        return layers.merge(*arguments, **options)

    def __dir__(self) -> List[str]:
        sources = (_source_module(each) for each in MODULES[self._path])
        below = [each.split(".")[-1] for each in MODULES if each and each.rpartition(".")[0] == self._path]
        return sorted({name for source in sources if source is not None for name in dir(source)} | set(below))

    def __reduce__(self) -> Any:
        return importlib.import_module, (self.__name__,)

    def __repr__(self) -> str:
        return "<{} of Keras 2, implemented by tf.keras>".format(_joined(self._path, ""))


@functools.lru_cache(maxsize=None)
def root() -> StandaloneKerasModule:
    """Returns the package `keras`.

    Raises:
      ModuleNotFoundError: tf.keras is Keras 3.
    """
    from legacy_towers.compat.tf1.keras.standalone import behaviour
    from legacy_towers.compat.versions import keras as chosen
    from legacy_towers.compat.versions import supported, tf

    user_script.tensorflow_is_imported()
    problem = chosen.keras_3_problem(supported.parse(tf.__version__))
    if problem is not None:
        line = user_script.calling_line()
        where = "{}: ".format(line) if line is not None else ""
        raise ModuleNotFoundError("{}import of keras (Keras 2): {}".format(where, problem), name=ROOT)
    behaviour.begin()
    if user_script.running() is not None:
        user_script.report_replacement("import of keras", "tf.keras, with the modules of Keras {}".format(VERSION))
    return StandaloneKerasModule("")


def install() -> None:
    """Makes the modules importable; further calls have no effect."""
    if not any(isinstance(finder, _Finder) for finder in sys.meta_path):
        sys.meta_path.insert(0, _Finder(ROOT))


def first_missing(path: str) -> Optional[str]:
    """Returns the shortest prefix of the dotted `path` below keras that does not exist, None if `path` exists.

    Attributes of values that are neither modules nor classes are not checked.

    Raises:
      ModuleNotFoundError: tf.keras is Keras 3.
    """
    value: Any = importlib.import_module(IMPORTED_AS)
    so_far: List[str] = []
    for part in path.split("."):
        if not isinstance(value, (types.ModuleType, type)) or part.startswith("__"):
            break
        so_far.append(part)
        try:
            value = getattr(value, part)
        except (AttributeError, ImportError):
            return ".".join(so_far)
    return None


def sentence(path: str) -> str:
    """Returns the message for the missing `path` below keras, without the script's line."""
    return "the installed Keras 2 has no keras.{}".format(path)


class _Finder(script_api.ViewFinder, importlib.abc.Loader):
    """Finds the modules below the package under their import names."""

    def module(self, name: str) -> Any:
        return importlib.import_module(IMPORTED_AS + name[len(ROOT) :])

    def is_imported(self) -> bool:
        return IMPORTED_AS in sys.modules

    def forget(self, names: Iterable[str]) -> None:
        """Does nothing: no symbols of a script replace names of keras."""

    def find_spec(self, fullname: str, path: Optional[Sequence[Any]], target: Any = None) -> Any:
        if fullname.startswith(IMPORTED_AS + "."):
            return importlib.machinery.ModuleSpec(fullname, self, is_package=True)
        return None

    def create_module(self, spec: Any) -> Any:
        """Returns None: `exec_module` makes the module."""

    def exec_module(self, module: Any) -> None:
        """Replaces the empty `module` in `sys.modules`."""
        path = module.__name__[len(IMPORTED_AS) + 1 :]
        if path not in MODULES:
            raise missing.MissingModule(_with_line(path), name=ROOT + "." + path)
        sys.modules[module.__name__] = _module(path)


@functools.lru_cache(maxsize=None)
def _module(path: str) -> StandaloneKerasModule:
    return StandaloneKerasModule(path)


def _look_up(path: str, name: str) -> Any:
    below = "{}.{}".format(path, name) if path else name
    if below in MODULES and (path or name in OF_ROOT):
        return importlib.import_module("{}.{}".format(IMPORTED_AS, below))
    for source in MODULES[path]:
        module = _source_module(source)
        value = getattr(module, name, _NOTHING) if module is not None else _NOTHING
        if path.startswith("applications") and isinstance(value, types.FunctionType):
            from legacy_towers.compat.tf1.keras.standalone import applications

            return applications.without_keras(value)
        if value is not _NOTHING:
            return value
    return _NOTHING


@functools.lru_cache(maxsize=None)
def _source_module(name: str) -> Any:
    """Returns the module of an entry in `module_paths.MODULES`, None if the installed Keras does not have it."""
    if name.startswith(OWN):
        return importlib.import_module(name[len(OWN) :])
    if name.startswith(SOURCE):
        from legacy_towers.compat.versions import keras_modules

        return keras_modules.source_module(name[len(SOURCE) :])
    try:
        return script_api.module("tensorflow.keras" + ("." + name if name else ""))
    except ImportError:
        return None


def _joined(path: str, name: str) -> str:
    return ".".join(part for part in (ROOT, path, name) if part)


def _with_line(path: str) -> str:
    line = user_script.calling_line()
    message = sentence(path[len(ROOT) + 1 :] if path.startswith(ROOT + ".") else path)
    return "{}: {}".format(line, message) if line is not None else message
