"""Functions that accept fewer types of arguments in TensorFlow 2 than in 1.x."""
from typing import Any

import numpy as np

from legacy_towers.compat.versions import tf


def argmax(input: Any, axis: Any = None, *arguments: Any, **options: Any) -> Any:  # noqa: A002
    """Returns tf.argmax; `axis` may be a numpy integer, whose type TensorFlow 2 rejects."""
    return tf.argmax(input, axis.item() if isinstance(axis, np.integer) else axis, *arguments, **options)
