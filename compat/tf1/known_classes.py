"""The methods and properties of the public classes of TensorFlow 1.15, read from a recorded file.

    attributes("tensorflow.keras.layers.Dense")                       {"add_update": ("updates", "inputs=None"), ...}
    attributes("tensorflow.nn.relu")                                  None: it is not a class

tests/tf1_cases/record_classes.py records them. Attributes that are not methods have None in place of arguments.
"""
import functools
import os
from typing import Dict, List, NamedTuple, Optional, Tuple

FILE = os.path.join(os.path.dirname(os.path.abspath(__file__)), "recorded", "classes_1_15.txt")
Arguments = Optional[Tuple[str, ...]]


class _Recorded(NamedTuple):
    homes: Dict[str, str]
    bases: Dict[str, List[str]]
    own: Dict[str, Dict[str, Arguments]]


def names() -> List[str]:
    """Returns the public names of all classes, sorted."""
    return sorted(_read().homes)


def attributes(name: str) -> Optional[Dict[str, Arguments]]:
    """Returns attribute -> the arguments of a method, or None, of the public class `name` and its bases.

    None if no class of this name was recorded.
    """
    recorded = _read()
    home = recorded.homes.get(name.replace("tensorflow.compat.v1.", "tensorflow.", 1))
    if home is None:
        return None
    found: Dict[str, Arguments] = {}
    for each in reversed([home] + recorded.bases[home]):
        found.update(recorded.own[each])
    return found


@functools.lru_cache(maxsize=None)
def _read() -> _Recorded:
    recorded = _Recorded({}, {}, {})
    current: Dict[str, Arguments] = {}
    with open(FILE, encoding="utf-8") as file:
        for line in file:
            text = line.rstrip("\n")
            if text.startswith(" "):
                name, is_method, arguments = text[1:].partition("(")
                current[name] = tuple(arguments[:-1].split()) if is_method else None
            elif " = " in text:
                public, home = text.split(" = ")
                recorded.homes[public] = home
            else:
                home, _, bases = text[:-1].partition("(")
                recorded.bases[home] = bases.split()
                current = recorded.own[home] = {}
    return recorded
