"""tf.contrib.compiler.jit: operations that XLA compiles."""
from legacy_towers.compat import tf

experimental_jit_scope = tf.xla.experimental.jit_scope

__all__ = ["experimental_jit_scope"]
