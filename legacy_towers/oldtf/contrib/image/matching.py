"""Greedy matches, and parts that hang together; in Python, on the CPU."""
from typing import Any, List, Tuple

import numpy as np

from legacy_towers.compat import tf


def bipartite_match(distance_mat: Any, num_valid_rows: Any, top_k: int = -1, name: str = "bipartite_match") -> Any:
    """Returns (row -> column, column -> row), -1 for none: the nearest pair first, then the nearest of the rest.

    Args:
      distance_mat: [rows, columns].
      num_valid_rows: how many rows count, a tensor of one number.
      top_k: how many pairs; -1 for all.
    """
    with tf.name_scope(name):
        distances = tf.convert_to_tensor(distance_mat)
        valid = tf.reshape(tf.convert_to_tensor(num_valid_rows), [])
        rows, columns = tf.py_func(lambda d, n: _greedy(d, int(n), top_k), [distances, valid], [tf.int32, tf.int32])
        rows.set_shape(distances.shape[:1])
        columns.set_shape(distances.shape[1:])
        return rows, columns


def _greedy(distances: Any, valid: int, top_k: int) -> Tuple[Any, Any]:
    rows = np.full(distances.shape[0], -1, np.int32)
    columns = np.full(distances.shape[1], -1, np.int32)
    left = np.array(distances[:valid], np.float64)
    for _ in range(min(left.shape) if top_k < 0 else min(left.shape + (top_k,))):
        row, column = np.unravel_index(np.argmin(left), left.shape)
        rows[row], columns[column] = column, row
        left[row], left[:, column] = np.inf, np.inf
    return rows, columns


def connected_components(images: Any) -> Any:
    """Returns the number of its part for each pixel of [h, w] or [n, h, w]: neighbours of one value; 0 for zeros."""
    with tf.name_scope("connected_components"):
        images = tf.convert_to_tensor(images, name="images")
        if images.shape.rank not in (2, 3):
            raise TypeError("images should have rank 2 (HW) or 3 (NHW). Static shape is {}".format(images.shape))
        batch = images[tf.newaxis] if images.shape.rank == 2 else images
        parts = tf.py_func(_numbered, [batch], tf.int32)
        parts.set_shape(batch.shape)
        return parts[0] if images.shape.rank == 2 else parts


def _numbered(batch: Any) -> Any:
    parts = np.zeros(batch.shape, np.int32)
    count = 0
    for number, row, column in zip(*[part.tolist() for part in np.nonzero(batch)]):
        if parts[number, row, column]:
            continue
        count += 1
        image, value = batch[number], batch[number, row, column]
        parts[number, row, column] = count
        waiting: List[Tuple[int, int]] = [(row, column)]
        while waiting:
            y, x = waiting.pop()
            for near in ((y - 1, x), (y + 1, x), (y, x - 1), (y, x + 1)):
                inside = 0 <= near[0] < image.shape[0] and 0 <= near[1] < image.shape[1]
                if inside and image[near] == value and not parts[(number,) + near]:
                    parts[(number,) + near] = count
                    waiting.append(near)
    return parts
