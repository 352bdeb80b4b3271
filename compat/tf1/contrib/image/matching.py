"""Greedy bipartite matching and connected components, computed by NumPy on the CPU."""
from typing import Any, List, Tuple

import numpy as np

from legacy_towers.compat.versions import tf


def bipartite_match(distance_mat: Any, num_valid_rows: Any, top_k: int = -1, name: str = "bipartite_match") -> Any:
    """Matches rows and columns greedily, the pair with the smallest distance first.

    Args:
      distance_mat: float [rows, columns].
      num_valid_rows: a tensor with one number; rows after these are not matched.
      top_k: the maximum number of pairs; -1 for no limit.
      name: the name of the operations.

    Returns:
      (the column of each row, int32 [rows]; the row of each column, int32 [columns]); -1 without match.
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
    remaining = np.array(distances[:valid], np.float64)
    for _ in range(min(remaining.shape) if top_k < 0 else min(remaining.shape + (top_k,))):
        row, column = np.unravel_index(np.argmin(remaining), remaining.shape)
        rows[row], columns[column] = column, row
        remaining[row], remaining[:, column] = np.inf, np.inf
    return rows, columns


def connected_components(images: Any) -> Any:
    """Numbers the connected components of images: adjacent pixels with the same non-zero value.

    Args:
      images: [height, width] or [batch, height, width].

    Returns:
      int32, the shape of `images`: the number of the component of each pixel, from 1; 0 for pixels with value 0.

    Raises:
      TypeError: `images` has another rank.
    """
    with tf.name_scope("connected_components"):
        images = tf.convert_to_tensor(images, name="images")
        if images.shape.rank not in (2, 3):
            raise TypeError("images should have rank 2 (HW) or 3 (NHW). Static shape is {}".format(images.shape))
        batch = images[tf.newaxis] if images.shape.rank == 2 else images
        components = tf.py_func(_components, [batch], tf.int32)
        components.set_shape(batch.shape)
        return components[0] if images.shape.rank == 2 else components


def _components(batch: Any) -> Any:
    components = np.zeros(batch.shape, np.int32)
    count = 0
    for number, row, column in zip(*[axis.tolist() for axis in np.nonzero(batch)]):
        if components[number, row, column]:
            continue
        count += 1
        image, value = batch[number], batch[number, row, column]
        components[number, row, column] = count
        pending: List[Tuple[int, int]] = [(row, column)]
        while pending:
            y, x = pending.pop()
            for neighbor in ((y - 1, x), (y + 1, x), (y, x - 1), (y, x + 1)):
                inside = 0 <= neighbor[0] < image.shape[0] and 0 <= neighbor[1] < image.shape[1]
                if inside and image[neighbor] == value and not components[(number,) + neighbor]:
                    components[(number,) + neighbor] = count
                    pending.append(neighbor)
    return components
