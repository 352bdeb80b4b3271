"""A supported name of TensorFlow 1.x and the object that implements it."""
import importlib
from typing import Any, NamedTuple

from legacy_towers.compat.tf1 import script_api

# The prefix of targets that are names of the view itself: "view:tensorflow:nn.relu".
VIEW = "view:"


class Symbol(NamedTuple):
    """One supported name.

    Attributes:
      name: the full name in TensorFlow 1.15: "tensorflow.contrib.layers".
      target: what implements it: "package.module" or "package.module:attribute"; after `VIEW`, a name of the view.
      on_1_15: whether the target also replaces the name on TensorFlow 1.15.
      note: for the table in docs/pages/names.md: what differs from the original, and why; empty if nothing does.
    """

    name: str
    target: str
    on_1_15: bool = False
    note: str = ""


def load(target: str) -> Any:
    """Imports and returns the `target` of a symbol."""
    of_view = target.startswith(VIEW)
    module, _, attribute = target[len(VIEW) if of_view else 0 :].partition(":")
    value = script_api.module(module) if of_view else importlib.import_module(module)
    for name in attribute.split(".") if attribute else ():
        value = getattr(value, name)
    return value
