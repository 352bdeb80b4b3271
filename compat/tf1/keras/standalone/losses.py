"""Names of keras.losses and keras.objectives that tf.keras.losses lacks."""
from typing import Any

from legacy_towers.compat.versions import tf

_RENAMED = {"cosine": "cosine_similarity", "cosine_proximity": "cosine_similarity"}


def __getattr__(name: str) -> Any:
    if name not in _RENAMED:
        raise AttributeError(name)
    return getattr(tf.keras.losses, _RENAMED[name])
