"""Names of keras.constraints that are spelt otherwise in tf.keras.constraints."""
from typing import Any

from legacy_towers.compat.versions import tf

_RENAMED = {"maxnorm": "max_norm", "nonneg": "non_neg", "unitnorm": "unit_norm", "min_max_norm": "MinMaxNorm"}


def __getattr__(name: str) -> Any:
    if name not in _RENAMED:
        raise AttributeError(name)
    return getattr(tf.keras.constraints, _RENAMED[name])
