"""Variable.initialized_value of TensorFlow 1.x."""
from typing import Any

from legacy_towers.compat.versions import tf


def initialized_value(variable: Any) -> Any:
    """Returns the value of `variable`, or its initial value if it is not initialized.

    Equals the method of the same name, which resource variables do not have in TensorFlow 2. Tested on 1.15, 2.13 and
    2.21.
    """
    with tf.init_scope():
        return tf.cond(tf.is_variable_initialized(variable), variable.read_value, lambda: variable.initial_value)
