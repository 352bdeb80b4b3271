"""tf.contrib.compiler."""
from legacy_towers.oldtf.contrib.compiler import jit, xla

__all__ = ["jit", "xla"]
