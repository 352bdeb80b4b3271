"""What is in TensorFlow for TPUs and works without one."""

# Private: tried on 1.15 and 2.21.
from tensorflow.python.tpu.tpu_optimizer import CrossShardOptimizer

try:
    from tensorflow.python.tpu.bfloat16 import bfloat16_scope
except ImportError:  # TensorFlow 1.15 has it there too; a version without it has no bfloat16 scopes
    bfloat16_scope = None

__all__ = ["CrossShardOptimizer", "bfloat16_scope"]
