"""tensorflow.python.layers.layers: all of tf.layers in one module."""
from legacy_towers.compat import tf


def __getattr__(name: str) -> object:
    if name.startswith("_"):
        raise AttributeError(name)
    return getattr(tf.layers, name)
