"""tf.contrib.tpu for use_tpu=False."""
from legacy_towers.compat.tf1.estimator.private.tpu import CrossShardOptimizer, bfloat16_scope
from legacy_towers.compat.tf1.estimator.tpu import (
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
