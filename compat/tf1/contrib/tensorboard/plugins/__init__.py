"""tf.contrib.tensorboard.plugins: the embedding projector."""
from legacy_towers.compat.tf1.contrib.tensorboard.plugins import projector

__all__ = ["projector"]
