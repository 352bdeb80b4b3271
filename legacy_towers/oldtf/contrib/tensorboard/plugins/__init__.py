"""tf.contrib.tensorboard.plugins."""
from legacy_towers.oldtf.contrib.tensorboard.plugins import projector

__all__ = ["projector"]
