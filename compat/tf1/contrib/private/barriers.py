"""Barrier: a queue that releases an element once all of its components have been inserted by key.

Private API: TensorFlow does not export the class. Tested on 1.15, 2.13 and 2.21.
"""
from tensorflow.python.ops.data_flow_ops import Barrier

__all__ = ["Barrier"]
