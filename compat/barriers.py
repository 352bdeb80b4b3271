"""Barriers: a table of keys whose rows leave when all of their columns were given.

Private: TensorFlow exports the class nowhere. Tried on 1.15, 2.13 and 2.21.
"""
from tensorflow.python.ops.data_flow_ops import Barrier

__all__ = ["Barrier"]
