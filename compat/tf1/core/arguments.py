"""Functions that accept fewer types of arguments in TensorFlow 2 than in 1.x."""
import functools
from typing import Any

import numpy as np

from legacy_towers.compat.versions import tf


def argmax(input: Any, axis: Any = None, *arguments: Any, **options: Any) -> Any:  # noqa: A002
    """Returns tf.argmax; `axis` may be a numpy integer, whose type TensorFlow 2 rejects."""
    return tf.argmax(input, axis.item() if isinstance(axis, np.integer) else axis, *arguments, **options)


@functools.wraps(tf.truncatediv)
def truncatediv(x: Any, y: Any, name: Any = None) -> Any:
    """Returns x / y; integers are rounded towards zero, and floats are not, as in 1.15."""
    x = tf.convert_to_tensor(x)
    return tf.realdiv(x, y, name) if x.dtype.is_floating else tf.truncatediv(x, y, name)
