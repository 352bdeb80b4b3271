"""Functions whose arguments TensorFlow 2 takes fewer kinds of."""
from typing import Any

import numpy as np

from legacy_towers.compat import tf


def argmax(input: Any, axis: Any = None, *arguments: Any, **options: Any) -> Any:  # noqa: A002
    """tf.argmax; the axis may be a number of numpy's, which TensorFlow 2 refuses by its type."""
    return tf.argmax(input, axis.item() if isinstance(axis, np.integer) else axis, *arguments, **options)
