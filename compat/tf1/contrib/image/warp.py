"""Image warps by dense flow fields."""
from typing import Any

from legacy_towers.compat.versions import tf


def dense_image_warp(image: Any, flow: Any, name: str = "dense_image_warp") -> Any:
    """Warps images: the output at (y, x) is the input at (y, x) - flow[y, x], bilinearly interpolated.

    Args:
      image: [batch, height, width, channels]; outside, the pixels of its edges are repeated.
      flow: [batch, height, width, 2].
      name: the name of the operations.

    Returns:
      A tensor with the shape and dtype of `image`.
    """
    with tf.name_scope(name):
        image, flow = tf.convert_to_tensor(image), tf.convert_to_tensor(flow)
        shape = tf.shape(image)
        batch, height, width = shape[0], shape[1], shape[2]
        columns, rows = tf.meshgrid(tf.range(width), tf.range(height))
        points = tf.cast(tf.stack([rows, columns], axis=2), flow.dtype)[tf.newaxis] - flow
        top, down = _split_positions(points[..., 0], height, image.dtype)
        left, right = _split_positions(points[..., 1], width, image.dtype)
        number = tf.broadcast_to(tf.range(batch)[:, tf.newaxis, tf.newaxis], tf.shape(top))

        def pixels(row: Any, column: Any) -> Any:
            return tf.gather_nd(image, tf.stack([number, row, column], axis=-1))

        upper = pixels(top, left) + right * (pixels(top, left + 1) - pixels(top, left))
        lower = pixels(top + 1, left) + right * (pixels(top + 1, left + 1) - pixels(top + 1, left))
        warped = upper + down * (lower - upper)
        warped.set_shape(image.shape)
        return warped


def _split_positions(positions: Any, size: Any, dtype: Any) -> Any:
    """Returns (int32 index of the pixel below each position, at most size - 2; weight of the next pixel)."""
    below = tf.clip_by_value(tf.floor(positions), 0, tf.cast(size - 2, positions.dtype))
    weight = tf.clip_by_value(tf.cast(positions - below, dtype), 0, 1)
    return tf.cast(below, tf.int32), weight[..., tf.newaxis]
