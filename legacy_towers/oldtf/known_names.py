"""Which names TensorFlow 1.15 had, read from a recording: TensorFlow 1.15 need not be there.

    is_name_of_1_15("tensorflow.train.shuffle_batch")     True
    closest("tensorflow.train.shufle_batch")              ["tensorflow.train.shuffle_batch"]
    arguments("tensorflow.nn.dropout")                    ("x", "keep_prob=None", "noise_shape=None", ...)

The names are those of modules, functions, classes and constants; what a class has is not recorded.
"""
import difflib
import functools
import os
from typing import Dict, FrozenSet, List, Optional, Tuple

_HERE = os.path.dirname(os.path.abspath(__file__))
NAMES_FILE = os.path.join(_HERE, "names_1_15.txt")
SIGNATURES_FILE = os.path.join(_HERE, "signatures_1_15.txt")
# tf.compat.v1 and tf are one module in the view of 1.x.
_SAME_AS_ROOT = "tensorflow.compat.v1"


@functools.lru_cache(maxsize=None)
def _modules() -> Dict[str, FrozenSet[str]]:
    found = {}
    with open(NAMES_FILE, encoding="utf-8") as file:
        for line in file:
            name, _, names = line.partition(":")
            found[name] = frozenset(names.split())
    return found


@functools.lru_cache(maxsize=None)
def _signatures() -> Dict[str, Tuple[str, ...]]:
    with open(SIGNATURES_FILE, encoding="utf-8") as file:
        return {words[0]: tuple(words[1:]) for words in map(str.split, file)}


def modules() -> List[str]:
    """Returns the dotted names of all modules, sorted."""
    return sorted(_modules())


def names_in(module: str) -> FrozenSet[str]:
    """Returns the names in `module` ("tensorflow.nn"), modules below it included; empty where it is no module."""
    return _names_in(_plain(module))


def public_names(module: str) -> FrozenSet[str]:
    """Returns what `module` showed on purpose: of the modules below it, those that it names itself."""
    return _own_names(_plain(module))


def _names_in(module: str) -> FrozenSet[str]:
    return _own_names(module) | _below().get(module, frozenset())


@functools.lru_cache(maxsize=None)
def _own_names(module: str) -> FrozenSet[str]:
    found = set()
    # A star stands for all names of another module, as in `from x import *`.
    seen, waiting = set(), [module]
    while waiting:
        current = waiting.pop()
        if current not in seen:
            seen.add(current)
            for name in _modules().get(current, ()):
                waiting.append(name[1:]) if name.startswith("*") else found.add(name)
    return frozenset(found)


def imported_from(module: str) -> Optional[str]:
    """Returns the module that `module` is another name of: tensorflow.python.ops.nn for tensorflow.contrib.slim.nn."""
    return _first_place(_plain(module))


@functools.lru_cache(maxsize=None)
def _below() -> Dict[str, FrozenSet[str]]:
    found: Dict[str, set] = {}
    for name in _modules():
        parent, _, last = name.rpartition(".")
        found.setdefault(parent, set()).add(last)
    return {name: frozenset(below) for name, below in found.items()}


def is_module_of_1_15(dotted: str) -> bool:
    """Returns whether `dotted` was a module: "tensorflow.contrib.slim"."""
    return _plain(dotted) in _modules()


def is_name_of_1_15(dotted: str) -> bool:
    """Returns whether TensorFlow 1.15 had `dotted`: "tensorflow.nn.relu", or a module."""
    dotted = _plain(dotted)
    parent, _, last = dotted.rpartition(".")
    return dotted in _modules() or last in _names_in(parent)


def closest(dotted: str, limit: int = 3) -> List[str]:
    """Returns the names of 1.15 that `dotted` may have been meant for, the nearest first.

    First those of the same spelling elsewhere in the public API, then those nearly spelt so in the same module.
    """
    dotted = _plain(dotted)
    parent, _, last = dotted.rpartition(".")
    elsewhere = [
        "{}.{}".format(module, last)
        for module, names in sorted(_modules().items())
        if last in names and module != parent and ".python" not in module
    ]
    elsewhere.sort(key=lambda name: (name.startswith("tensorflow.contrib"), name.count("."), name))
    near = difflib.get_close_matches(last, sorted(_names_in(parent)), limit, 0.75)
    return (elsewhere + ["{}.{}".format(parent, name) for name in near])[:limit]


def arguments(dotted: str) -> Optional[Tuple[str, ...]]:
    """Returns the arguments of a function or class of tf, in order, None where none were recorded.

    Each is "name", "name=default", "*name" or "**name"; a default that is no plain value is "...".
    """
    return _signatures().get(_plain(dotted))


def _plain(dotted: str) -> str:
    if dotted == _SAME_AS_ROOT or dotted.startswith(_SAME_AS_ROOT + "."):
        dotted = "tensorflow" + dotted[len(_SAME_AS_ROOT) :]
    parts = dotted.split(".")
    for length in range(2, len(parts)):
        # What hangs below a second place of a module is recorded at its first only.
        place = ".".join(parts[:length])
        first = _first_place(place)
        if first is not None and place not in _below():
            return _plain(".".join([first] + parts[length:]))
    return dotted


def _first_place(module: str) -> Optional[str]:
    names = _modules().get(module, frozenset())
    (only,) = names if len(names) == 1 else ("",)
    return only[1:] if only.startswith("*") else None
