"""The modules of `keras`, from its root down, as `legacy_towers.oldtf.keras`: see `places`."""
import functools
import importlib
import importlib.abc
import importlib.machinery
import sys
import types
from typing import Any, List, Optional, Sequence

from legacy_towers.oldtf import current, missing
from legacy_towers.oldtf.keras2.standalone.places import MODULES, OF_ROOT, OWN, ROOT, SOURCE, VERSION

IMPORTED_AS = "legacy_towers.oldtf.keras"
_NOTHING: Any = object()


class KerasOfItsOwn(types.ModuleType):
    """One module of the package `keras`.

    Args:
      path: below keras: "layers.convolutional"; empty for itself.
    """

    def __init__(self, path: str) -> None:
        super().__init__(IMPORTED_AS + ("." + path if path else ""))
        self.__dict__["_path"] = path
        self.__path__: List[str] = []

    def __getattr__(self, name: str) -> Any:
        # Called for what the module does not hold: each name is looked up once.
        if name == "__all__":
            return [each for each in dir(self) if not each.startswith("_")]
        if name == "__version__":
            return VERSION
        if name == "_path" or (name.startswith("__") and name.endswith("__")):
            raise AttributeError(name)
        value = _look_up(self._path, name)
        if value is _NOTHING:
            raise missing.MissingName(_with_place(_joined(self._path, name)))
        return self.__dict__.setdefault(name, value)

    def __call__(self, *arguments: Any, **options: Any) -> Any:
        """keras.layers.merge was a function, too."""
        if self._path != "layers.merge":
            raise TypeError("{!r} is a module, and can't be called".format(self))
        from legacy_towers.oldtf.keras2.standalone import layers

        return layers.merge(*arguments, **options)

    def __dir__(self) -> List[str]:
        places = (_module_at(place) for place in MODULES[self._path])
        below = [each.split(".")[-1] for each in MODULES if each and each.rpartition(".")[0] == self._path]
        return sorted({name for place in places if place is not None for name in dir(place)} | set(below))

    def __reduce__(self) -> Any:
        return importlib.import_module, (self.__name__,)

    def __repr__(self) -> str:
        return "<{} of Keras 2, by tf.keras>".format(_joined(self._path, ""))


@functools.lru_cache(maxsize=None)
def root() -> KerasOfItsOwn:
    """Returns what `import keras` gives.

    Raises:
      ModuleNotFoundError: tf.keras is Keras 3.
    """
    from legacy_towers.compat import keras as chosen
    from legacy_towers.compat import tf, versions
    from legacy_towers.oldtf.keras2.standalone import behaviour

    current.tensorflow_is_imported()
    problem = chosen.keras_3_problem(versions.parse(tf.__version__))
    if problem is not None:
        place = current.place()
        where = "{}: ".format(place) if place is not None else ""
        raise ModuleNotFoundError("{}keras, Keras 2 here: {}".format(where, problem), name=ROOT)
    behaviour.begin()
    if current.running() is not None:
        current.say_once("import of keras", "tf.keras, by the names of modules of Keras {}".format(VERSION))
    return KerasOfItsOwn("")


def install() -> None:
    """Makes the modules importable; more than once does no harm."""
    if not any(isinstance(finder, _Finder) for finder in sys.meta_path):
        sys.meta_path.insert(0, _Finder())


def first_missing(path: str) -> Optional[str]:
    """Returns the shortest beginning of the dotted `path` below keras that is not there, None where it is.

    What follows a value that is neither module nor class may be anything.

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
    """Returns what to say of the missing `path` below keras, without where it was used."""
    return "keras.{} is in no Keras 2 that is here".format(path)


class _Finder(importlib.abc.MetaPathFinder, importlib.abc.Loader):
    """Finds the modules below the root under their import names."""

    def find_spec(self, fullname: str, path: Optional[Sequence[Any]], target: Any = None) -> Any:
        if fullname.startswith(IMPORTED_AS + "."):
            return importlib.machinery.ModuleSpec(fullname, self, is_package=True)
        return None

    def create_module(self, spec: Any) -> Any:
        """Leaves that to `exec_module`."""

    def exec_module(self, module: Any) -> None:
        """Puts the module of ours in the place of the empty `module`."""
        path = module.__name__[len(IMPORTED_AS) + 1 :]
        if path not in MODULES:
            raise missing.MissingModule(_with_place(path), name=ROOT + "." + path)
        sys.modules[module.__name__] = _module(path)


@functools.lru_cache(maxsize=None)
def _module(path: str) -> KerasOfItsOwn:
    return KerasOfItsOwn(path)


def _look_up(path: str, name: str) -> Any:
    below = "{}.{}".format(path, name) if path else name
    if below in MODULES and (path or name in OF_ROOT):
        return importlib.import_module("{}.{}".format(IMPORTED_AS, below))
    for place in MODULES[path]:
        module = _module_at(place)
        value = getattr(module, name, _NOTHING) if module is not None else _NOTHING
        if path.startswith("applications") and isinstance(value, types.FunctionType):
            from legacy_towers.oldtf.keras2.standalone import applications

            return applications.without_keras(value)
        if value is not _NOTHING:
            return value
    return _NOTHING


@functools.lru_cache(maxsize=None)
def _module_at(place: str) -> Any:
    """Returns the module that `place` of `places.MODULES` names, None where this Keras has none."""
    from legacy_towers.compat import keras_modules
    from legacy_towers.oldtf import tree

    if place.startswith(OWN):
        return importlib.import_module(place[len(OWN) :])
    if place.startswith(SOURCE):
        return keras_modules.source_module(place[len(SOURCE) :])
    try:
        return tree.module("tensorflow.keras" + ("." + place if place else ""))
    except ImportError:
        return None


def _joined(path: str, name: str) -> str:
    return ".".join(part for part in (ROOT, path, name) if part)


def _with_place(path: str) -> str:
    place = current.place()
    said = sentence(path[len(ROOT) + 1 :] if path.startswith(ROOT + ".") else path)
    return "{}: {}".format(place, said) if place is not None else said
