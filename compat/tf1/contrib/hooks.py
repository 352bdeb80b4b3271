"""tf.contrib.hooks: ProfilerHook, now in tf.train."""
from legacy_towers.compat.versions import tf

ProfilerHook = tf.train.ProfilerHook

__all__ = ["ProfilerHook"]
