"""tf.contrib.tfprof, now tf.profiler."""
from legacy_towers.compat.tf1.contrib.tfprof import model_analyzer, tfprof_logger
from legacy_towers.compat.tf1.contrib.tfprof.profile_context import ProfileContext

__all__ = ["ProfileContext", "model_analyzer", "tfprof_logger"]
