"""tf.contrib.tfprof, which is tf.profiler now."""
from legacy_towers.oldtf.contrib.tfprof import model_analyzer, tfprof_logger
from legacy_towers.oldtf.contrib.tfprof.profile_context import ProfileContext

__all__ = ["ProfileContext", "model_analyzer", "tfprof_logger"]
