"""tf.zeros_initializer and tf.ones_initializer: functions of a shape before TensorFlow 1.0, classes since.

Without a shape, as in `tf.zeros_initializer()` or `initializer=tf.zeros_initializer`, they are the classes of 1.x.
"""
from typing import Any

import numpy as np

from legacy_towers.compat.tf1 import user_script
from legacy_towers.compat.versions import tf


def _is_shape(value: Any) -> bool:
    return isinstance(value, (list, tuple, tf.TensorShape, np.ndarray))


class zeros_initializer(tf.zeros_initializer):  # noqa: N801
    def __new__(cls, *arguments: Any, **keywords: Any) -> Any:
        if arguments and _is_shape(arguments[0]) or "shape" in keywords:
            user_script.report_replacement("tf.zeros_initializer(shape)", "tf.zeros(shape)")
            keywords.pop("partition_info", None)
            return tf.zeros(*arguments[:2], **keywords)
        return super().__new__(cls)


class ones_initializer(tf.ones_initializer):  # noqa: N801
    def __new__(cls, *arguments: Any, **keywords: Any) -> Any:
        if arguments and _is_shape(arguments[0]) or "shape" in keywords:
            user_script.report_replacement("tf.ones_initializer(shape)", "tf.ones(shape)")
            keywords.pop("partition_info", None)
            return tf.ones(*arguments[:2], **keywords)
        return super().__new__(cls)
