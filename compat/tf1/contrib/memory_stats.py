"""tf.contrib.memory_stats: GPU memory that TensorFlow has allocated on the device of the operation."""
from typing import Any

import numpy as np

from legacy_towers.compat.tf1 import user_script
from legacy_towers.compat.versions import tf

__all__ = ["BytesInUse", "MaxBytesInUse"]


def BytesInUse() -> Any:  # pylint: disable=invalid-name
    """Returns a scalar int64 tensor, the bytes in use; 0 on a CPU, where TensorFlow does not count them."""
    return _read("BytesInUse", "current")


def MaxBytesInUse() -> Any:  # pylint: disable=invalid-name
    """Returns a scalar int64 tensor, the peak of the bytes in use; 0 on a CPU, where TensorFlow does not count them."""
    return _read("MaxBytesInUse", "peak")


def _read(name: str, key: str) -> Any:
    device = tf.no_op().device
    if "GPU" not in device.upper():
        user_script.report_replacement("tf.contrib.memory_stats." + name, "0: TensorFlow counts memory on GPUs only")
        return tf.constant(0, tf.int64)
    number = device.upper().rpartition("GPU:")[2] or "0"

    def read() -> Any:
        return np.int64(tf.config.experimental.get_memory_info("GPU:" + number)[key])

    with tf.device(None):
        value = tf.py_func(read, [], tf.int64)
    value.set_shape([])
    return value
