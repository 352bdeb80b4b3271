"""Sparse gradients over the workers of a cluster: their rows are gathered, or summed where there are too many."""
from typing import Any, List, Sequence, Tuple

from legacy_towers.cluster.workers import Workers
from legacy_towers.compat import tf
from legacy_towers.gradients.base import GradientRow
from legacy_towers.gradients.tower_weights import multiply, upcast
from legacy_towers.tensor_types import Tensor


def slices_over_workers(
    rows: Sequence[GradientRow], workers: Workers, is_sum: bool, scope: str
) -> List[tf.IndexedSlices]:
    """Returns the mean or the sum of each row's IndexedSlices over all workers, as IndexedSlices.

        worker 0: rows {3: a, 5: b}  ->  rows {3: a/2, 5: b/2, 3: c/2}
        worker 1: rows {3: c}        ->  rows {3: a/2, 5: b/2, 3: c/2}

    First all workers learn how many rows each has: numbers that are known before backpropagation. Where the rows of
    all would be more than the variable has, the workers all-reduce its dense gradient in this step, and which rows it
    has: the others stay out of the update, as momentum requires.

    Args:
      rows: each with one gradient, IndexedSlices.
      is_sum: whether the workers' gradients are summed; else their mean is taken.
      scope: the beginning of the names of the tensors that are gathered or summed.
    """
    if not rows:
        return []
    gradients: List[Any] = [row.gradients[0] for row in rows]
    counts = workers.all_gather_row_counts(
        [gradient.indices for gradient in gradients], "{}/rows of {}".format(scope, [row.name for row in rows])
    )
    factor = 1.0 if is_sum else 1.0 / workers.size
    result = []
    for number, (row, gradient) in enumerate(zip(rows, gradients)):
        with tf.device(workers.device), tf.name_scope("rows_over_workers"):
            values, indices = _combined(
                multiply(gradient.values, factor), gradient.indices, counts[:, number], _length(row), workers,
                "{}/{}".format(scope, row.name),
            )
            result.append(tf.IndexedSlices(values, indices, gradient.dense_shape))
    return result


def _combined(
    values: Tensor, indices: Tensor, counts: Tensor, length: Any, workers: Workers, name: str
) -> Tuple[Tensor, Tensor]:
    """Returns values and indices over all workers.

    Args:
      counts: int32 of shape [workers], how many rows each worker has.
      length: how many rows the variable has.
    """

    def gather() -> Tuple[Tensor, Tensor]:
        return (
            workers.all_gather_rows(values, counts, "rows of " + name),
            workers.all_gather_rows(indices, counts, "indices of " + name),
        )

    def add() -> Tuple[Tensor, Tensor]:
        dense = tf.math.unsorted_segment_sum(upcast(values), indices, length)
        present = tf.math.unsorted_segment_sum(tf.ones_like(indices, dense.dtype), indices, length)
        both = workers.sum(tf.concat([tf.reshape(dense, [-1]), present], axis=0), "all rows of " + name)
        found = tf.reshape(tf.where(both[-length:] > 0), [-1])
        summed = tf.reshape(both[:-length], tf.shape(dense))
        return tf.cast(tf.gather(summed, found), values.dtype), tf.cast(found, indices.dtype)

    is_more = tf.reduce_max(counts) * workers.size > length
    combined_values, combined_indices = tf.cond(is_more, add, gather)
    combined_values.set_shape(tf.TensorShape([None]).concatenate(values.shape[1:]))
    return combined_values, combined_indices


def _length(row: GradientRow) -> Any:
    """Returns how many rows the variable of a sparse gradient has."""
    assert row.variable is not None
    static = row.variable.shape[0:1].num_elements()
    return tf.shape(row.variable)[0] if static is None else static
