"""tf.contrib.learn.learn_runner."""
from legacy_towers.oldtf.contrib.learn.experiment import run

__all__ = ["run"]
