"""tf.contrib.input_pipeline."""
from typing import Any

from legacy_towers.compat.versions import tf

__all__ = ["obtain_next"]


def obtain_next(string_list_tensor: Any, counter: Any) -> Any:
    """Increments `counter` and returns the string at that index; starts again after the last string.

    Args:
      string_list_tensor: string [n].
      counter: a scalar int64 variable.

    Returns:
      A scalar string tensor.
    """
    size = tf.size(string_list_tensor, out_type=tf.int64)
    position = tf.assign(counter, tf.floormod(counter + 1, size))
    return tf.gather(string_list_tensor, tf.convert_to_tensor(position))
