"""Which of TensorFlow 1.4 to 1.14 had a name that 1.15 does not have, read from a recorded file.

    versions_of("tensorflow.contrib.gan.gan_model")     ("1.4", "1.14")
    versions_of("tensorflow.nn.relu")                   None: 1.15 has it

Recorded are 1.4, 1.8, 1.12, 1.13 and 1.14.
"""
import functools
import os
from typing import Dict, List, Optional, Tuple

FILE = os.path.join(os.path.dirname(os.path.abspath(__file__)), "recorded", "earlier_names.txt")
VERSIONS = ("1.4", "1.8", "1.12", "1.13", "1.14")


def versions_of(dotted: str) -> Optional[Tuple[str, str]]:
    """Returns the first and the last recorded version that had a name; None if none had it, or 1.15 has it."""
    return _read().get(dotted)


def names() -> List[str]:
    """Returns the dotted names of all of them, sorted."""
    return sorted(_read())


def names_in(module: str) -> List[str]:
    """Returns the names in a module ("tensorflow.layers") that one of these versions had and 1.15 does not have."""
    return sorted(_by_module().get(module, ()))


@functools.lru_cache(maxsize=None)
def _by_module() -> Dict[str, List[str]]:
    found: Dict[str, List[str]] = {}
    for name in _read():
        module, _, last = name.rpartition(".")
        found.setdefault(module, []).append(last)
    return found


@functools.lru_cache(maxsize=None)
def _read() -> Dict[str, Tuple[str, str]]:
    found = {}
    with open(FILE, encoding="utf-8") as file:
        for line in file:
            place, _, last_names = line.partition(":")
            module, _, versions = place.partition(" ")
            first, _, last = versions.partition("-")
            for name in last_names.split():
                found["{}.{}".format(module, name)] = (first, last)
    return found
