"""Errors for missing names: where the script uses the name, what it was, and what to use instead."""
from typing import Optional, Tuple

from legacy_towers.compat.tf1 import advice, earlier_names, known_classes, known_names, registry, user_script

_ROOT = "tensorflow"
# Advice on these packages is too general for names that TensorFlow never had.
_GENERAL = ("tensorflow.contrib", "tensorflow.python")


class MissingName(AttributeError):
    """A name of TensorFlow that neither TensorFlow nor legacy_towers has."""


class MissingModule(ModuleNotFoundError):
    """A module of TensorFlow that neither TensorFlow nor legacy_towers has."""


def missing_name(name: str) -> MissingName:
    """Returns the error for the script's line that uses `name` ("tensorflow.contrib.foo")."""
    return MissingName(_with_line(name))


def missing_module(name: str) -> MissingModule:
    """Returns the error for the script's line that imports `name`."""
    return MissingModule(_with_line(name), name=name)


def sentence(name: str) -> str:
    """Returns the message for the missing `name` ("tensorflow.contrib.foo"), without the script's line."""
    prefix, reason = _advice(name)
    version = _version_of(name)
    if version:
        message = "{} was part of TensorFlow {}, and is not supported".format(short_name(name), version)
        return message + (": " + reason if reason else "")
    unknown = "{} is not a name of TensorFlow 1.15".format(short_name(name))
    if reason and prefix not in _GENERAL:
        return "{}: {}".format(unknown, reason)
    similar = [short_name(found) for found in known_names.closest(name)]
    return "{}: did you mean {}?".format(unknown, " or ".join(similar)) if similar else unknown


def _version_of(name: str) -> str:
    """Returns the version or versions of TensorFlow that had a name, "" if none of those that are recorded had it."""
    parent, _, last = name.rpartition(".")
    if known_names.is_name_of_1_15(name) or last in (known_classes.attributes(parent) or ()):
        return "1.15"
    first, last = earlier_names.versions_of(name) or ("", "")
    if first:
        return first if first == last else "{} to {}".format(first, last)
    return known_names.OF_0_12.version if known_names.OF_0_12.is_name(name) else ""


def short_name(name: str) -> str:
    """Returns `name` as scripts write it: tf.contrib for tensorflow.contrib."""
    return "tf" + name[len(_ROOT) :] if name.startswith(_ROOT + ".") else name


def _with_line(name: str) -> str:
    line = user_script.calling_line()
    return "{}: {}".format(line, sentence(name)) if line is not None else sentence(name)


def _advice(name: str) -> Tuple[str, Optional[str]]:
    """Returns the longest prefix of `name` that has advice, and the advice; ("", None) without any."""
    reasons = dict(advice.ADVICE, **registry.reasons())
    parts = name.split(".")
    for length in range(len(parts), 0, -1):
        prefix = ".".join(parts[:length])
        if prefix in reasons:
            return prefix, reasons[prefix]
    return "", None
