"""tf.contrib.input_pipeline."""
from typing import Any

from legacy_towers.compat import tf

__all__ = ["obtain_next"]


def obtain_next(string_list_tensor: Any, counter: Any) -> Any:
    """Adds one to the int64 variable `counter` and returns the string at it, round and round."""
    size = tf.size(string_list_tensor, out_type=tf.int64)
    position = tf.assign(counter, tf.floormod(counter + 1, size))
    return tf.gather(string_list_tensor, tf.convert_to_tensor(position))
