"""tf.contrib.compiler.jit: XLA compilation of the operations in a scope."""
from legacy_towers.compat.versions import tf

experimental_jit_scope = tf.xla.experimental.jit_scope

__all__ = ["experimental_jit_scope"]
