"""Classes and functions of TensorFlow for TPUs that also work without one."""

# Private: tried on 1.15 and 2.21.
from tensorflow.python.tpu.tpu_optimizer import CrossShardOptimizer

try:
    from tensorflow.python.tpu.bfloat16 import bfloat16_scope
except ImportError:  # all supported versions have it; None for versions without bfloat16 scopes
    bfloat16_scope = None

__all__ = ["CrossShardOptimizer", "bfloat16_scope"]
