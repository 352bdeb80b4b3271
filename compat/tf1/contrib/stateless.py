"""tf.contrib.stateless: random numbers that depend on the seed only."""
from legacy_towers.compat.versions import tf

stateless_multinomial = tf.random.stateless_multinomial
stateless_random_normal = tf.random.stateless_normal
stateless_random_uniform = tf.random.stateless_uniform
stateless_truncated_normal = tf.random.stateless_truncated_normal

__all__ = [
    "stateless_multinomial",
    "stateless_random_normal",
    "stateless_random_uniform",
    "stateless_truncated_normal",
]
