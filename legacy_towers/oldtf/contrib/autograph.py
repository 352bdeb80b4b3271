"""tf.contrib.autograph, which became tf.autograph."""
from typing import Any, List

from legacy_towers.compat import tf


def __getattr__(name: str) -> Any:
    if name.startswith("__"):
        raise AttributeError(name)
    return getattr(tf.autograph, name)


def __dir__() -> List[str]:
    return dir(tf.autograph)
