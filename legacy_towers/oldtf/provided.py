"""Which of our modules and functions stand in for names of TensorFlow 1.x.

Each room of `oldtf` that serves names has a module `provides` with its `ROWS`, and with `REASONS` where it says of
names why they are not served; the rooms are listed here. Reading the rows imports no TensorFlow: what they point to is
imported when a script first asks for it.
"""
import functools
import importlib
from typing import Any, Dict, NamedTuple, Tuple

# Where rows are looked up: one module for each room.
ROOMS: Tuple[str, ...] = (
    "legacy_towers.oldtf.machine.provides",
    "legacy_towers.oldtf.contrib.provides",
    "legacy_towers.oldtf.before_one.provides",
    "legacy_towers.oldtf.changed.provides",
    "legacy_towers.oldtf.keras2.provides",
    "legacy_towers.oldtf.tutorials.provides",
    "legacy_towers.oldtf.estimator.provides",
)


class Row(NamedTuple):
    """One name that we serve.

    Attributes:
      name: as a script of 1.15 would write it, from the root: "tensorflow.contrib.layers".
      target: what serves it: "package.module" or "package.module:attribute".
      on_1_15: whether it also stands before TensorFlow 1.15's own.
      note: one sentence for the table in docs/compatibility.md: what is different, and why. Empty: nothing is.
    """

    name: str
    target: str
    on_1_15: bool = False
    note: str = ""


def rows(is_1_15: bool) -> Dict[str, Row]:
    """Returns name -> row for the running TensorFlow.

    Raises:
      ValueError: two rooms serve the same name.
    """
    found: Dict[str, Row] = {}
    for room in ROOMS:
        for row in importlib.import_module(room).ROWS:
            if is_1_15 and not row.on_1_15:
                continue
            if row.name in found:
                raise ValueError("{} is served by {} and by {}".format(row.name, found[row.name].target, row.target))
            found[row.name] = row
    return found


@functools.lru_cache(maxsize=None)
def reasons() -> Dict[str, str]:
    """Returns name -> why it is not served and what to do: the `REASONS` of the rooms that have them.

    A name stands for all that lies below it, where nothing longer does.
    """
    found: Dict[str, str] = {}
    for room in ROOMS:
        found.update(getattr(importlib.import_module(room), "REASONS", {}))
    return found


def load(target: str) -> Any:
    """Imports and returns what the `target` of a row names."""
    module, _, attribute = target.partition(":")
    value = importlib.import_module(module)
    for name in attribute.split(".") if attribute else ():
        value = getattr(value, name)
    return value
