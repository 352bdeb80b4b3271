"""tensorboard.summary: the operations and messages of its first API, which are in `tensorboard.summary.v1` now."""
from typing import Any

from legacy_towers.oldtf.changed.tensorboard_view import now as _module

_first = _module("tensorboard.summary.v1")
globals().update({name: value for name, value in vars(_first).items() if not name.startswith("_")})


def __getattr__(name: str) -> Any:
    if name.startswith("__"):
        raise AttributeError(name)
    return getattr(_module("tensorboard.summary"), name)
