"""Pooling of volumes of dtypes for which TensorFlow 2 has no kernels on the CPU.

    float16     computed in float32, as in `dtypes`
    float64     an average of averages: over height and width, then over depth

The number of cells of a window is the product of its numbers along depth and along height and width, at the borders
too, so an average of averages is the average.
"""
import functools
from typing import Any, List, Optional

from legacy_towers.compat.tf1.core.dtypes import in_float32
from legacy_towers.compat.versions import tf

max_pool3d = in_float32(tf.nn.max_pool3d)
_avg_pool3d = in_float32(tf.nn.avg_pool3d)


@functools.wraps(tf.nn.avg_pool3d)
def avg_pool3d(
    input: Any, ksize: Any, strides: Any, padding: Any, data_format: str = "NDHWC", name: Any = None  # noqa: A002
) -> Any:
    x = tf.convert_to_tensor(input)
    window, steps = _five(ksize), _five(strides)
    if x.dtype != tf.float64 or data_format != "NDHWC" or set(window[::4] + steps[::4]) != {1}:
        return _avg_pool3d(x, ksize, strides, padding, data_format, name)
    with tf.name_scope(name, "AvgPool3D", [x]):
        size = tf.shape(x)
        flat = tf.reshape(x, [size[0] * size[1], size[2], size[3], x.shape[4].value or size[4]])
        flat = tf.nn.avg_pool(flat, window[:1] + window[2:], steps[:1] + steps[2:], padding)
        kept = tf.shape(flat)
        deep = tf.reshape(flat, [size[0], size[1], kept[1] * kept[2], size[4]])
        deep = tf.nn.avg_pool(deep, window[:2] + [1, 1], steps[:2] + [1, 1], padding)
        result = tf.reshape(deep, [size[0], tf.shape(deep)[1], kept[1], kept[2], size[4]])
        result.set_shape([_pooled(*each, padding) for each in zip(x.shape.as_list(), window, steps)])
    return result


def _five(sizes: Any) -> List[int]:
    """Returns the sizes along the five dimensions of a volume, given as 1, 3 or 5 numbers."""
    given = list(sizes) if isinstance(sizes, (list, tuple)) else [sizes]
    return given if len(given) == 5 else [1] + (given * 3 if len(given) == 1 else given) + [1]


def _pooled(size: Optional[int], window: int, step: int, padding: str) -> Optional[int]:
    if size is None:
        return None
    return -(-(size if padding == "SAME" else size - window + 1) // step)
