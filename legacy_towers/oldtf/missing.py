"""The error for a name that is not there: where it was used, what it was, and the nearest thing to do."""
from typing import Optional, Tuple

from legacy_towers.oldtf import advice, current, known_names, provided

_ROOT = "tensorflow"
# What is said of these says little of a name below them that never was.
_WIDE = ("tensorflow.contrib", "tensorflow.python")


class MissingName(AttributeError):
    """A name of TensorFlow that neither TensorFlow nor legacy_towers has."""


class MissingModule(ModuleNotFoundError):
    """A module of TensorFlow that neither TensorFlow nor legacy_towers has."""


def missing_name(name: str) -> MissingName:
    """Returns the error of the script's line that asks for `name` ("tensorflow.contrib.foo")."""
    return MissingName(_with_place(name))


def missing_module(name: str) -> MissingModule:
    """Returns the error of the script's line that imports `name`."""
    return MissingModule(_with_place(name), name=name)


def sentence(name: str) -> str:
    """Returns what to say of the missing `name` ("tensorflow.contrib.foo"), without where it was used."""
    prefix, said = _advice(name)
    if known_names.is_name_of_1_15(name):
        was = "{} was part of TensorFlow 1.15, and is not served".format(spoken(name))
        return was + (": " + said if said else "")
    never = "{} is no name of TensorFlow 1.15".format(spoken(name))
    if said and prefix not in _WIDE:
        return "{}: {}".format(never, said)
    near = [spoken(found) for found in known_names.closest(name)]
    return "{}: did you mean {}?".format(never, " or ".join(near)) if near else never


def spoken(name: str) -> str:
    """Returns `name` as people write it: tf.contrib for tensorflow.contrib."""
    return "tf" + name[len(_ROOT) :] if name.startswith(_ROOT + ".") else name


def _with_place(name: str) -> str:
    place = current.place()
    return "{}: {}".format(place, sentence(name)) if place is not None else sentence(name)


def _advice(name: str) -> Tuple[str, Optional[str]]:
    """Returns the longest name that `name` begins with and that there is advice on, and the advice."""
    said = dict(advice.ADVICE, **provided.reasons())
    parts = name.split(".")
    for length in range(len(parts), 0, -1):
        prefix = ".".join(parts[:length])
        if prefix in said:
            return prefix, said[prefix]
    return "", None
