"""What became of a name of TensorFlow 1.x: still there, served by us, or missing."""
import functools
import importlib
import inspect
from typing import Any, List, NamedTuple, Optional

from legacy_towers.compat import keras
from legacy_towers.oldtf import missing, tree
from legacy_towers.oldtf.check.found import KERAS, ROOT

# Names with underscores that TensorFlow gave itself.
_OF_TENSORFLOW = (
    "__version__", "__git_version__", "__compiler_version__", "__cxx11_abi_flag__", "__monolithic_build__"
)


class Status(NamedTuple):
    """What became of a name.

    Attributes:
      name: as it stands in the file, from the root: "tensorflow.contrib.slim.conv2d". Only up to the part that is
        missing, or that is no module or class: what follows may be an attribute of anything.
      gone: whether the TensorFlow that runs has it no more, neither in tensorflow.compat.v1 nor elsewhere.
      served_by: the package whose code serves a gone name under `run`: "legacy_towers", "tf_slim", ...; None where the
        name is not gone, or missing.
      missing: the sentence that `run` would say of it, None where it is there.
      is_module: whether it is a module that is there.
    """

    name: str
    gone: bool
    served_by: Optional[str]
    missing: Optional[str]
    is_module: bool


@functools.lru_cache(maxsize=None)
def of_name(name: str) -> Status:
    """Returns what became of the dotted `name`, on the TensorFlow that runs."""
    if name.split(".")[0] == KERAS:
        return _of_keras(name)
    gone_at = _first_gone(name)
    value: Any = tree.module(ROOT)
    path = ROOT
    for part in name.split(".")[1:]:
        # What all modules have, as __name__, TensorFlow did not drop.
        if not _tells_its_names(value) or part.startswith("__") and part not in _OF_TENSORFLOW:
            break
        whole = "{}.{}".format(path, part)
        try:
            value = getattr(value, part)
        except (AttributeError, ImportError) as error:
            value = _module_of_1_15(whole)
            if value is not None:
                path = whole
                continue
            # What else fails to be imported says why: a package that it needs, for example.
            is_missing = isinstance(error, (AttributeError, missing.MissingModule))
            why = missing.sentence(whole) if is_missing else str(error)
            return Status(whole, gone_at is not None, None, why, False)
        path = whole
    if tree.is_unserved(value):  # the import of it alone is no harm
        return Status(path, False, None, None, True)
    return Status(path, gone_at is not None, _server(value) if gone_at else None, None, inspect.ismodule(value))


def exists(name: str) -> bool:
    """Returns whether a script under `run` has the dotted `name`."""
    return of_name(name).missing is None


def is_module(name: str) -> bool:
    """Returns whether the dotted `name` is a module of TensorFlow that a script under `run` has."""
    return of_name(name).is_module


def serves_keras() -> bool:
    """Returns whether a script under `run` gets tf.keras where it imports keras."""
    return not tree.is_1_15() and keras.is_keras_2()


def _of_keras(name: str) -> Status:
    """Returns what became of a name of the package keras, which is gone as a whole: its parts are there or missing."""
    from legacy_towers.compat import keras_modules
    from legacy_towers.oldtf.keras2.standalone import places
    from legacy_towers.oldtf.keras2.standalone import tree as of_keras

    below = name[len(KERAS) + 1 :]
    try:
        absent = of_keras.first_missing(below or "layers")
    except ModuleNotFoundError as error:
        return Status(KERAS, True, None, str(error), False)
    if absent is not None:
        return Status("{}.{}".format(KERAS, absent), False, None, of_keras.sentence(absent), False)
    server = keras_modules.keras_source().split(".")[0] if not below else None
    return Status(name, not below, server, None, below in places.MODULES)


def names_of(module: str) -> List[str]:
    """Returns the names that `from module import *` binds, for a module that is there."""
    if module.split(".")[0] == KERAS:
        return [each for each in dir(importlib.import_module("legacy_towers.oldtf." + module)) if each[0] != "_"]
    value = tree.module(module)
    return list(getattr(value, "__all__", None) or [name for name in dir(value) if not name.startswith("_")])


def _tells_its_names(value: Any) -> bool:
    # An object may make its attributes as it goes, as FLAGS does; a module or a class has the ones it has.
    return inspect.ismodule(value) or inspect.isclass(value)


def _first_gone(name: str) -> Optional[str]:
    """Returns the shortest beginning of `name` that the TensorFlow that runs lacks, None where it has it all."""
    if tree.is_1_15():
        value: Any = importlib.import_module(ROOT)
    else:
        value = importlib.import_module(ROOT + ".compat.v1")
    path = ROOT
    for part in name.split(".")[1:]:
        if not _tells_its_names(value) or part.startswith("__") and part not in _OF_TENSORFLOW:
            return None
        path = "{}.{}".format(path, part)
        value = _attribute(value, part, path)
        if value is None:
            return path
    return None


def _module_of_1_15(name: str) -> Any:
    """Returns the module `name` where TensorFlow 1.15 runs and has it: not all of its modules are attributes, too."""
    if not tree.is_1_15():
        return None
    try:
        return importlib.import_module(name)
    except ImportError:
        return None


def _attribute(value: Any, name: str, path: str) -> Any:
    if path in (ROOT + ".python", ROOT + ".compat") or path.startswith((ROOT + ".python.", ROOT + ".compat.")):
        try:
            return importlib.import_module(path)
        except ImportError:
            pass
    try:
        found = getattr(value, name)
    except (AttributeError, ImportError):
        return _module_of_1_15(path)
    return () if found is None else found


def _server(value: Any) -> str:
    """Returns the package whose code `value` is."""
    behind = getattr(value, "_behind", None) if inspect.ismodule(value) else None
    module = getattr(behind, "__name__", None) if inspect.ismodule(value) else getattr(value, "__module__", None)
    return module.split(".")[0] if isinstance(module, str) else "legacy_towers"
