"""tf.contrib.hooks."""
from legacy_towers.compat import tf

ProfilerHook = tf.train.ProfilerHook

__all__ = ["ProfilerHook"]
