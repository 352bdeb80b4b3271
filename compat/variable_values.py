"""What variables had to say of their values on TensorFlow 1.x."""
from typing import Any

from legacy_towers.compat import tf


def initialized_value(variable: Any) -> Any:
    """Returns what `variable` holds, or will be initialized with where it is not yet.

    That is its method of the same name, which resource variables lost with TensorFlow 2. Tried on 1.15, 2.13 and 2.21.
    """
    with tf.init_scope():
        return tf.cond(tf.is_variable_initialized(variable), variable.read_value, lambda: variable.initial_value)
