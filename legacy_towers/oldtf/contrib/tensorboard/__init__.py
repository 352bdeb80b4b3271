"""tf.contrib.tensorboard."""
from legacy_towers.oldtf.contrib.tensorboard import plugins

__all__ = ["plugins"]
