"""tf.zeros_initializer and tf.ones_initializer: functions of a shape before TensorFlow 1.0, classes since.

`tf.get_variable(..., initializer=tf.zeros_initializer)` and `tf.zeros_initializer()` are those of 1.x.
"""
from typing import Any

import numpy as np

from legacy_towers.compat import tf
from legacy_towers.oldtf import current


def _is_shape(value: Any) -> bool:
    return isinstance(value, (list, tuple, tf.TensorShape, np.ndarray))


class zeros_initializer(tf.zeros_initializer):  # noqa: N801
    def __new__(cls, *arguments: Any, **keywords: Any) -> Any:
        if arguments and _is_shape(arguments[0]):
            current.say_once("tf.zeros_initializer(shape)", "tf.zeros(shape)")
            return tf.zeros(*arguments, **keywords)
        return super().__new__(cls)


class ones_initializer(tf.ones_initializer):  # noqa: N801
    def __new__(cls, *arguments: Any, **keywords: Any) -> Any:
        if arguments and _is_shape(arguments[0]):
            current.say_once("tf.ones_initializer(shape)", "tf.ones(shape)")
            return tf.ones(*arguments, **keywords)
        return super().__new__(cls)
