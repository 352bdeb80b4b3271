"""StagingArea, which TensorFlow 2 keeps and exports no more."""
# Private: tried on 1.15 and 2.21.
from tensorflow.python.ops.data_flow_ops import StagingArea

__all__ = ["StagingArea"]
