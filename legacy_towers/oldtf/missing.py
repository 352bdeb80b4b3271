"""The error for a name that is not there: what it was, and the nearest thing to do."""
from typing import Optional

from legacy_towers.oldtf import provided

# The longest one that a missing name begins with speaks; the rooms' `provides` have more of them.
_ADVICE = {
    "tensorflow.contrib": "tf.contrib ended with TensorFlow 1.15, and this part of it is not served",
}


class MissingName(AttributeError):
    """A name of TensorFlow that neither TensorFlow nor legacy_towers has."""


class MissingModule(ModuleNotFoundError):
    """A module of TensorFlow that neither TensorFlow nor legacy_towers has."""


def sentence(name: str) -> str:
    """Returns what to say of the missing `name` ("tensorflow.contrib.foo"), without where it was used."""
    advice: Optional[str] = None
    said = dict(_ADVICE, **provided.reasons())
    for prefix in sorted(said, key=len):
        if name == prefix or name.startswith(prefix + "."):
            advice = said[prefix]
    return "{} is missing{}".format(spoken(name), ": " + advice if advice else "")


def spoken(name: str) -> str:
    """Returns `name` as people write it: tf.contrib for tensorflow.contrib."""
    return "tf" + name[len("tensorflow") :] if name.startswith("tensorflow.") else name
