"""tf.contrib.memory_stats: what TensorFlow's allocator holds on the device of the operation."""
from typing import Any

import numpy as np

from legacy_towers.compat import tf
from legacy_towers.oldtf import current

__all__ = ["BytesInUse", "MaxBytesInUse"]


def BytesInUse() -> Any:  # pylint: disable=invalid-name
    """Returns the int64 tensor of the bytes in use; 0 on a CPU, where nothing counts them."""
    return _read("BytesInUse", "current")


def MaxBytesInUse() -> Any:  # pylint: disable=invalid-name
    """Returns the int64 tensor of the most bytes that were in use; 0 on a CPU, where nothing counts them."""
    return _read("MaxBytesInUse", "peak")


def _read(name: str, key: str) -> Any:
    device = tf.no_op().device
    if "GPU" not in device.upper():
        current.say_once("tf.contrib.memory_stats." + name, "0: TensorFlow counts the bytes of GPUs alone")
        return tf.constant(0, tf.int64)
    number = device.upper().rpartition("GPU:")[2] or "0"

    def read() -> Any:
        return np.int64(tf.config.experimental.get_memory_info("GPU:" + number)[key])

    with tf.device(None):
        value = tf.py_func(read, [], tf.int64)
    value.set_shape([])
    return value
