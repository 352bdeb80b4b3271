"""tf.contrib.resampler: bilinear sampling of images."""
from typing import Any, Optional

from legacy_towers.compat.versions import tf

__all__ = ["resampler"]


def resampler(data: Any, warp: Any, name: Optional[str] = "resampler") -> Any:
    """Samples `data` at the points `warp` by bilinear interpolation; pixels outside of `data` are 0.

    Args:
      data: [batch, height, width, channels].
      warp: [batch, ..., 2], the coordinates (x, y) in pixels.
      name: the name of the operations.

    Returns:
      [batch, ..., channels], with gradients for both arguments.
    """
    with tf.name_scope(name, "resampler", [data, warp]):
        data = tf.convert_to_tensor(data, name="data")
        warp = tf.convert_to_tensor(warp, name="warp")
        shape = tf.shape(data)
        batch, height, width, channels = shape[0], shape[1], shape[2], shape[3]
        points = tf.reshape(warp, [batch, -1, 2])
        x, y = points[..., 0], points[..., 1]
        left, top = tf.floor(x), tf.floor(y)
        total = 0.0
        for column, x_weight in ((left, left + 1 - x), (left + 1, x - left)):
            for row, y_weight in ((top, top + 1 - y), (top + 1, y - top)):
                total += (x_weight * y_weight)[..., tf.newaxis] * _pixels(data, row, column, height, width)
        result = tf.reshape(total, tf.concat([tf.shape(warp)[:-1], [channels]], axis=0))
        if warp.shape.rank is not None:
            result.set_shape(warp.shape[:-1].concatenate(data.shape[-1:]))
        return result


def _pixels(data: Any, row: Any, column: Any, height: Any, width: Any) -> Any:
    """Returns the pixels [batch, points, channels] at integer coordinates [batch, points]; 0 outside of `data`."""
    row, column = tf.cast(row, tf.int32), tf.cast(column, tf.int32)
    inside = (row >= 0) & (row < height) & (column >= 0) & (column < width)
    row = tf.clip_by_value(row, 0, height - 1)
    column = tf.clip_by_value(column, 0, width - 1)
    example = tf.broadcast_to(tf.range(tf.shape(data)[0])[:, tf.newaxis], tf.shape(row))
    pixels = tf.gather_nd(data, tf.stack([example, row, column], axis=-1))
    return pixels * tf.cast(inside, data.dtype)[..., tf.newaxis]
