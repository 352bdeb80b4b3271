"""tf.distributions.bijectors of TensorFlow 1.4 to 1.8: the two classes that it had.

Private: the public API has no bijectors, and tf.distributions itself uses them. Tried on 1.15, 2.13 and 2.21.
"""
from tensorflow.python.ops.distributions.bijector import Bijector
from tensorflow.python.ops.distributions.identity_bijector import Identity

__all__ = ["Bijector", "Identity"]
