"""tf.contrib.staging."""
from legacy_towers.compat.staging import StagingArea

__all__ = ["StagingArea"]
