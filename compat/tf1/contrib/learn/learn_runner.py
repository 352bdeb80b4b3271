"""tf.contrib.learn.learn_runner: runs an Experiment."""
from legacy_towers.compat.tf1.contrib.learn.experiment import run

__all__ = ["run"]
