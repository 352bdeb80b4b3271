"""tf.contrib.tfprof, which is tf.profiler now."""
from legacy_towers.oldtf.contrib.tfprof import model_analyzer, tfprof_logger

__all__ = ["model_analyzer", "tfprof_logger"]
