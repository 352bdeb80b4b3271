"""tf.contrib.batching: one call for the inputs of several session runs."""
from legacy_towers.compat.tf1.contrib.private.contrib_parts import batch_function

__all__ = ["batch_function"]
