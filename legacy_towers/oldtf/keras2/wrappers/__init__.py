"""tf.keras.wrappers, which TensorFlow dropped in 2.12."""
from legacy_towers.oldtf.keras2.wrappers import scikit_learn

__all__ = ["scikit_learn"]
