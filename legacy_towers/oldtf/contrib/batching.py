"""tf.contrib.batching: one run for the calls of several sessions' runs."""
from legacy_towers.compat.contrib_parts import batch_function

__all__ = ["batch_function"]
