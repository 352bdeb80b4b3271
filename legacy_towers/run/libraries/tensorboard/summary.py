"""tensorboard.summary with the functions of its first API, which newer packages have in `tensorboard.summary.v1`."""
from typing import Any, List

from legacy_towers.run.libraries.tensorboard import attribute as _attribute
from legacy_towers.run.libraries.tensorboard import installed as _installed

_first = _installed("tensorboard.summary.v1")
globals().update({name: value for name, value in vars(_first).items() if not name.startswith("_")})


def __getattr__(name: str) -> Any:
    return _attribute("tensorboard.summary", name)


def __dir__() -> List[str]:
    return sorted(set(dir(_installed("tensorboard.summary"))) | set(dir(_first)))
