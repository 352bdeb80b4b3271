"""How much of a module of TensorFlow 1.15 is there on the TensorFlow that runs, name by name."""
import functools
from typing import Any, Dict, Iterable, List, NamedTuple, Set

from legacy_towers.compat.tf1 import earlier_names, known_names, missing, registry, tree
from legacy_towers.run.runtime.symbols import SYMBOLS

_ROOT = "tensorflow"
# Modules of the root that are not part of the API, or counted elsewhere.
APART = ("contrib", "python", "core", "compiler", "tools", "examples", "raw_ops", "pywrap_tensorflow")


class Part(NamedTuple):
    """The names of a module of 1.15: those that TensorFlow has, that this package implements, and that are missing."""

    name: str
    own: List[str]
    implemented: List[str]
    missing: List[str]


def of_module(module: str, recording: known_names.Recording = known_names.OF_1_15) -> Part:
    """Returns what is there of a module of TensorFlow's API; the modules below it are counted by themselves."""
    every = set(recording.names_in(module))
    if recording is known_names.OF_1_15:
        every.update(name for name in earlier_names.names_in(module) if "{}.{}".format(module, name) not in _modules())
    names = (name for name in every if not (name in APART and module == _ROOT))
    return _part(module, (name for name in names if not recording.is_module("{}.{}".format(module, name))))


def of_earlier_contrib(part: str) -> Part:
    """Returns what is there of the names of a part of tf.contrib that TensorFlow 1.4 to 1.14 had and 1.15 lacks."""
    found = Part(part, [], [], [])
    for name in earlier_names.names():
        module, _, last = name.rpartition(".")
        if (module + ".").startswith(part + ".") and ".python" not in name and name not in _modules():
            one = _part(module, [last])
            for kept, new in zip(found[1:], one[1:]):
                kept += ["{}.{}".format(module, each)[len(part) + 1 :] for each in new]  # type: ignore[operator]
    return found


def earlier_parts() -> List[str]:
    """Returns the parts of tf.contrib that TensorFlow 1.4 to 1.14 had and 1.15 lacks: "gan", "lite"."""
    parts = {name.split(".")[2] for name in earlier_names.names() if name.startswith(_ROOT + ".contrib.")}
    return sorted(part for part in parts if part not in known_names.names_in(_ROOT + ".contrib"))


@functools.lru_cache(maxsize=None)
def _modules() -> Set[str]:
    """Returns the modules that only TensorFlow 1.4 to 1.14 had; their names are counted."""
    return {name.rpartition(".")[0] for name in earlier_names.names()}


def of_contrib_part(part: str) -> List[Part]:
    """Returns what is there of a part of tf.contrib ("tensorflow.contrib.slim") and of the modules that it shows.

    A module that it shows under two names is counted under the shorter one; one that is at home in another part, or in
    TensorFlow itself, counts as one name.
    """
    shown = _shown_modules(part)
    found = []
    for module in sorted(shown.values()):
        names = known_names.public_names(module)
        found.append(_part(module, (name for name in names if _home("{}.{}".format(module, name)) not in shown)))
    return found


def _shown_modules(part: str) -> Dict[str, str]:
    """Returns home -> the name under which scripts find it, for a part and the modules at home in it."""
    found: Dict[str, str] = {}
    waiting = [part]
    while waiting:
        module = waiting.pop(0)
        home = _home(module)
        is_at_home = known_names.is_module_of_1_15(module) and home.startswith(part + ".")
        if module == part or is_at_home and home not in found:
            found[home] = module
            waiting += ["{}.{}".format(module, name) for name in sorted(known_names.public_names(module))]
    return found


def _home(module: str) -> str:
    return known_names.imported_from(module) or module


def _part(module: str, names: Iterable[str]) -> Part:
    found = Part(module, [], [], [])
    rows = registry.rows(is_1_15=False, of_script=SYMBOLS)
    try:
        view: Any = tree.module(module)
    except missing.MissingModule:
        view = None
    except ImportError:  # what the module needs is not installed: its names are there all the same
        for name in sorted(names):
            has_reason = "{}.{}".format(module, name) in registry.reasons()
            (found.missing if has_reason else found.implemented).append(name)
        return found
    for name in sorted(names):
        whole = "{}.{}".format(module, name)
        if not _has(view, name):
            found.missing.append(name)
        elif any(whole == row or whole.startswith(row + ".") for row in rows):
            found.implemented.append(name)
        else:
            found.own.append(name)
    return found


def _has(view: Any, name: str) -> bool:
    try:
        return view is not None and hasattr(view, name)
    except Exception:  # what a name needs is not installed: it is there all the same
        return True
