"""tf.contrib.tensorboard: the embedding projector."""
from legacy_towers.compat.tf1.contrib.tensorboard import plugins

__all__ = ["plugins"]
