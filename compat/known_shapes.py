"""What TensorFlow knows, while a graph is built, of a shape that a tensor holds.

Private, and there in TensorFlow 1.15 to 2.21; nothing public gives a shape of which a part is known.
"""
from tensorflow.python.framework.tensor_util import constant_value_as_shape

__all__ = ["constant_value_as_shape"]
