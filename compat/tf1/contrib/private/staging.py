"""StagingArea, which TensorFlow 2 keeps in a private module."""
# Private API: tested on 1.15 and 2.21.
from tensorflow.python.ops.data_flow_ops import StagingArea

__all__ = ["StagingArea"]
