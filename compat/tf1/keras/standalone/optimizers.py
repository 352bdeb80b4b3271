"""keras.optimizers: the optimizers for graph mode, with the arguments `lr` and `decay`."""
from typing import Any, List

from legacy_towers.compat.versions import keras_modules, tf

CLASSES = ("SGD", "RMSprop", "Adagrad", "Adadelta", "Adam", "Adamax", "Nadam")
_LOWER = {name.lower(): name for name in CLASSES}
_OTHERS = ("Optimizer", "TFOptimizer")


def clip_norm(g: Any, c: float, n: Any) -> Any:
    """Returns the gradient `g`, scaled to the norm `c` if its norm `n` is larger."""
    return g if c <= 0 else tf.cond(n >= c, lambda: g * (c / n), lambda: g + 0.0)


def __getattr__(name: str) -> Any:
    name = _LOWER.get(name, name)
    if name not in CLASSES and name not in _OTHERS:
        raise AttributeError(name)
    return getattr(keras_modules.source_module("optimizers.optimizer_v1"), name)


def __dir__() -> List[str]:
    return sorted(CLASSES + tuple(_LOWER) + _OTHERS)
