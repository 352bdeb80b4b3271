"""tf.contrib.all_reduce.python, whose one module is TensorFlow's own."""
from legacy_towers.compat import all_reduce

__all__ = ["all_reduce"]
