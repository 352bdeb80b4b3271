"""tf.contrib.resampler: images read between their pixels."""
from typing import Any, Optional

from legacy_towers.compat import tf

__all__ = ["resampler"]


def resampler(data: Any, warp: Any, name: Optional[str] = "resampler") -> Any:
    """Returns `data` at the points `warp`, bilinearly; outside it is 0, and it fades to 0 over one pixel.

    Args:
      data: [batch, height, width, channels].
      warp: [batch, ..., 2] of (x, y), in pixels.

    Returns:
      [batch, ..., channels], with gradients for both.
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
        for column, x_share in ((left, left + 1 - x), (left + 1, x - left)):
            for row, y_share in ((top, top + 1 - y), (top + 1, y - top)):
                total += (x_share * y_share)[..., tf.newaxis] * _pixels(data, row, column, height, width)
        result = tf.reshape(total, tf.concat([tf.shape(warp)[:-1], [channels]], axis=0))
        if warp.shape.rank is not None:
            result.set_shape(warp.shape[:-1].concatenate(data.shape[-1:]))
        return result


def _pixels(data: Any, row: Any, column: Any, height: Any, width: Any) -> Any:
    """Returns the pixels [batch, points, channels] at whole numbers; 0 outside."""
    row, column = tf.cast(row, tf.int32), tf.cast(column, tf.int32)
    inside = (row >= 0) & (row < height) & (column >= 0) & (column < width)
    row = tf.clip_by_value(row, 0, height - 1)
    column = tf.clip_by_value(column, 0, width - 1)
    example = tf.broadcast_to(tf.range(tf.shape(data)[0])[:, tf.newaxis], tf.shape(row))
    pixels = tf.gather_nd(data, tf.stack([example, row, column], axis=-1))
    return pixels * tf.cast(inside, data.dtype)[..., tf.newaxis]
