"""The checkpoints of a directory: finding, checking, writing, keeping and restoring them."""
