"""Functions that TensorFlow 1.0 dropped without a function of the same arguments."""
from typing import Any, Optional

from legacy_towers.compat.versions import tf


def set_cpu0(device_string: str) -> str:
    """Returns `device_string` with its device replaced by the first CPU: "/job:worker/device:CPU:0"."""
    return str(tf.DeviceSpec.from_string(device_string).replace(device_type="CPU", device_index=0).to_string())


def constant_value(tensor: Any) -> Any:
    """Returns the static value of a tensor as a numpy array, None if it is not known."""
    return tf.get_static_value(tensor)


def xw_plus_b_v1(x: Any, weights: Any, biases: Any, name: Optional[str] = None) -> Any:
    """Computes matmul(x, weights) + biases with the operation BiasAddV1, which has no data_format.

    Args:
      x: [batch, inputs].
      weights: [inputs, units].
      biases: [units].
      name: of the result.

    Returns:
      A tensor [batch, units].
    """
    with tf.name_scope(name, "xw_plus_b_v1", [x, weights, biases]) as scope:
        return tf.raw_ops.BiasAddV1(value=tf.matmul(x, weights), bias=tf.convert_to_tensor(biases), name=scope)
