"""The error for a name that is not there: where it was used, what it was, and the nearest thing to do."""
from typing import Optional

from legacy_towers.oldtf import advice, current, known_names, provided

_ROOT = "tensorflow"


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
    said = _advice(name)
    if known_names.is_name_of_1_15(name):
        was = "{} was part of TensorFlow 1.15, and is not served".format(spoken(name))
        return was + (": " + said if said else "")
    near = [spoken(found) for found in known_names.closest(name)]
    if near:
        return "{} is no name of TensorFlow 1.15: did you mean {}?".format(spoken(name), " or ".join(near))
    return "{} is no name of TensorFlow 1.15{}".format(spoken(name), ": " + said if said else "")


def spoken(name: str) -> str:
    """Returns `name` as people write it: tf.contrib for tensorflow.contrib."""
    return "tf" + name[len(_ROOT) :] if name.startswith(_ROOT + ".") else name


def _with_place(name: str) -> str:
    place = current.place()
    return "{}: {}".format(place, sentence(name)) if place is not None else sentence(name)


def _advice(name: str) -> Optional[str]:
    """Returns the advice of the longest name that `name` begins with."""
    said = dict(advice.ADVICE, **provided.reasons())
    parts = name.split(".")
    for length in range(len(parts), 0, -1):
        found = said.get(".".join(parts[:length]))
        if found is not None:
            return found
    return None
