"""tensorflow.python.layers.layers: all names of tf.layers."""
from legacy_towers.compat.versions import tf


def __getattr__(name: str) -> object:
    if name.startswith("_"):
        raise AttributeError(name)
    return getattr(tf.layers, name)
