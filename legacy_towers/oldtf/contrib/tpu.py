"""tf.contrib.tpu without TPUs: what scripts with use_tpu=False use."""
from legacy_towers.compat.tpu import CrossShardOptimizer, bfloat16_scope
from legacy_towers.oldtf.estimator.tpu import (
    InputPipelineConfig,
    RunConfig,
    TPUConfig,
    TPUEstimator,
    TPUEstimatorSpec,
)

__all__ = [
    "CrossShardOptimizer",
    "InputPipelineConfig",
    "RunConfig",
    "TPUConfig",
    "TPUEstimator",
    "TPUEstimatorSpec",
    "bfloat16_scope",
]
