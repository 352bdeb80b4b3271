"""tf.contrib.compiler: XLA compilation."""
from legacy_towers.compat.tf1.contrib.compiler import jit, xla

__all__ = ["jit", "xla"]
