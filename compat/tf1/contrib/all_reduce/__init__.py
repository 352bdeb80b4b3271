"""tf.contrib.all_reduce.python, a module of TensorFlow itself."""
from legacy_towers.compat.tf1.contrib.private import all_reduce

__all__ = ["all_reduce"]
