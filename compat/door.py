"""First sketch of the door; see `open_door`."""
from typing import Any


def open_door() -> Any:
    import tensorflow.compat.v1 as tf

    tf.disable_v2_behavior()
    return tf
