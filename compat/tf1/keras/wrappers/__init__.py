"""tf.keras.wrappers, which TensorFlow dropped in 2.12."""
from legacy_towers.compat.tf1.keras.wrappers import scikit_learn

__all__ = ["scikit_learn"]
