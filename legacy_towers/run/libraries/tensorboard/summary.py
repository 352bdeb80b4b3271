"""tensorboard.summary with the functions of its first API, which newer packages have in `tensorboard.summary.v1`."""
from typing import Any

from legacy_towers.run.libraries.tensorboard import installed as _installed

_first = _installed("tensorboard.summary.v1")
globals().update({name: value for name, value in vars(_first).items() if not name.startswith("_")})


def __getattr__(name: str) -> Any:
    if name.startswith("__"):
        raise AttributeError(name)
    return getattr(_installed("tensorboard.summary"), name)
