"""The static value of a tensor that holds a shape.

Private: it exists in TensorFlow 1.15 to 2.21; nothing public returns a partially known shape.
"""
from tensorflow.python.framework.tensor_util import constant_value_as_shape

__all__ = ["constant_value_as_shape"]
