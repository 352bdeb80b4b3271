"""tf.contrib.staging: StagingArea."""
from legacy_towers.compat.tf1.contrib.private.staging import StagingArea

__all__ = ["StagingArea"]
