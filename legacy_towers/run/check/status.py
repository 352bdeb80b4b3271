"""Looks a TensorFlow 1.x name up: unchanged, removed but supported by legacy_towers, or missing."""
import functools
import importlib
import inspect
from typing import Any, List, NamedTuple, Optional

from legacy_towers.compat.patches import class_methods
from legacy_towers.compat.tf1 import known_classes, missing, refused_arguments, tree
from legacy_towers.compat.versions import keras
from legacy_towers.run.check.findings import KERAS, ROOT
from legacy_towers.run.check.instances import CALLED, lacks

# Names with underscores that TensorFlow defines; all others exist in every module.
_OF_TENSORFLOW = (
    "__version__", "__git_version__", "__compiler_version__", "__cxx11_abi_flag__", "__monolithic_build__"
)


class Status(NamedTuple):
    """The status of a name.

    Attributes:
      name: the name from the root: "tensorflow.contrib.slim.conv2d". It ends at the part that is missing, or that is
        not a module or class, since attributes of other objects are known only at run time.
      is_removed: whether the installed TensorFlow lacks it, in tensorflow.compat.v1 and elsewhere.
      provided_by: the package that provides a removed name under `run`: "legacy_towers", "tf_slim", ...; None if the
        name is not removed, or is missing.
      missing: the error message that a script gets under `run`; None if the name exists there.
      is_module: whether it is an existing module.
    """

    name: str
    is_removed: bool
    provided_by: Optional[str]
    missing: Optional[str]
    is_module: bool


@functools.lru_cache(maxsize=None)
def of_name(name: str) -> Status:
    """Returns the status of the dotted `name` on the installed TensorFlow."""
    if CALLED in name:
        return _of_object(name)
    if name.split(".")[0] == KERAS:
        return _of_keras(name)
    if name.endswith("=)"):
        function, _, argument = name[: -len("=)")].partition("(")
        return Status(name, True, None, refused_arguments.sentence(function, argument), False)
    removed_at = _first_removed(name)
    value: Any = tree.module(ROOT)
    path = ROOT
    for part in name.split(".")[1:]:
        # Names that every module has, __name__ for example, were not removed.
        if not _has_fixed_names(value) or part.startswith("__") and part not in _OF_TENSORFLOW:
            break
        whole = "{}.{}".format(path, part)
        try:
            value = getattr(value, part)
        except (AttributeError, ImportError) as error:
            of_1_15 = _module_of_1_15(whole)
            if of_1_15 is not None:
                value, path = of_1_15, whole
                continue
            if class_methods.has(value, part):
                return Status(whole, True, "legacy_towers", None, False)
            # Any other import error names its cause: a package that is not installed, for example.
            is_missing = isinstance(error, (AttributeError, missing.MissingModule))
            why = missing.sentence(whole) if is_missing else str(error)
            return Status(whole, removed_at is not None, None, why, False)
        path = whole
    if tree.is_unsupported(value):  # importing it works; only its names are missing
        return Status(path, False, None, None, True)
    return Status(path, removed_at is not None, _provider(value) if removed_at else None, None, inspect.ismodule(value))


def exists(name: str) -> bool:
    """Returns whether the dotted `name` exists for a script under `run`."""
    return of_name(name).missing is None


def is_module(name: str) -> bool:
    """Returns whether the dotted `name` is a TensorFlow module that exists for a script under `run`."""
    return of_name(name).is_module


def replaces_keras() -> bool:
    """Returns whether `run` replaces `import keras` with tf.keras."""
    return not tree.is_1_15() and keras.is_keras_2()


def _of_object(name: str) -> Status:
    """Returns the status of an attribute of an object: "tensorflow.train.Saver().save"."""
    owner, _, below = name.partition(CALLED)
    attribute = below.lstrip(".").split(".")[0]
    if owner.split(".")[0] == KERAS or of_name(owner).missing is not None:
        return Status(name, False, None, None, False)
    value: Any = functools.reduce(getattr, owner.split(".")[1:], tree.module(ROOT))
    why = None
    if attribute and lacks(value, attribute) and not class_methods.has(value, attribute):
        why = "an object of {} has no attribute {!r}".format(missing.short_name(owner), attribute)
        if attribute in (known_classes.attributes(owner) or ()):
            why += ", which that of TensorFlow 1.15 had"
    return Status("{}{}.{}".format(owner, CALLED, attribute), False, None, why, False)


def _of_keras(name: str) -> Status:
    """Returns the status of a name of standalone keras: the package counts as removed, its names exist or not."""
    from legacy_towers.compat.tf1.keras.standalone import module_paths
    from legacy_towers.compat.tf1.keras.standalone import tree as of_keras
    from legacy_towers.compat.versions import keras_modules

    below = name[len(KERAS) + 1 :]
    try:
        absent = of_keras.first_missing(below or "layers")
    except ModuleNotFoundError as error:
        return Status(KERAS, True, None, str(error), False)
    if absent is not None:
        return Status("{}.{}".format(KERAS, absent), False, None, of_keras.sentence(absent), False)
    provider = keras_modules.keras_source().split(".")[0] if not below else None
    return Status(name, not below, provider, None, below in module_paths.MODULES)


def names_of(module: str) -> List[str]:
    """Returns the names that `from module import *` binds, for an existing module."""
    if module.split(".")[0] == KERAS:
        from legacy_towers.compat.tf1.keras.standalone import tree as of_keras

        found = importlib.import_module(of_keras.IMPORTED_AS + module[len(KERAS) :])
        return [each for each in dir(found) if each[0] != "_"]
    value = tree.module(module)
    return list(getattr(value, "__all__", None) or [name for name in dir(value) if not name.startswith("_")])


def _has_fixed_names(value: Any) -> bool:
    # An object may create attributes at run time, as FLAGS does; modules and classes do not.
    return inspect.ismodule(value) or inspect.isclass(value)


def _first_removed(name: str) -> Optional[str]:
    """Returns the shortest prefix of `name` that the installed TensorFlow lacks; None if it has all parts."""
    if tree.is_1_15():
        value: Any = importlib.import_module(ROOT)
    else:
        value = importlib.import_module(ROOT + ".compat.v1")
    path = ROOT
    for part in name.split(".")[1:]:
        if not _has_fixed_names(value) or part.startswith("__") and part not in _OF_TENSORFLOW:
            return None
        path = "{}.{}".format(path, part)
        value = _attribute(value, part, path)
        if value is None:
            return path
    return None


def _module_of_1_15(name: str) -> Any:
    """Returns the module `name` of TensorFlow 1.15, some of whose modules are not attributes of their parents."""
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


def _provider(value: Any) -> str:
    """Returns the name of the package that defines `value`."""
    wrapped = getattr(value, "_source", None) if inspect.ismodule(value) else None
    module = getattr(wrapped, "__name__", None) if inspect.ismodule(value) else getattr(value, "__module__", None)
    return module.split(".")[0] if isinstance(module, str) else "legacy_towers"
