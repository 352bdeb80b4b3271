"""The mean of one variable's gradients over towers, dense or sparse."""
from typing import Any, List, Optional, Sequence, Tuple

from legacy_towers.compat import tf
from legacy_towers.errors import TowerError
from legacy_towers.gradients.shares import weighted_mean


def mean_gradient(gradients: Sequence[Any], shares: Optional[Sequence[Any]], variable: Any) -> Any:
    """Returns the mean of gradients of the same kind; sparse ones stay sparse.

        dense, 2 towers:    [a b c]   [d e f]             ->  [a+d b+e c+f] / 2
        sparse, 2 towers:   rows {3: a}  rows {3: b, 7: c}  ->  rows {3: a/2, 3: b/2, 7: c/2}

    A row that several towers hold is kept once per tower: every TF1 optimizer sums repeated indices.

    Args:
      gradients: one tensor or IndexedSlices per tower, all of the variable's dtype.
      shares: one scalar (number or float64 tensor) per tower, which sum to 1; None: 1 / N each. A
        tower whose share is 0 is left out.
      variable: the variable, for the error.

    Raises:
      TowerError: some towers' gradients are sparse and some dense.
    """
    sparse = [isinstance(gradient, tf.IndexedSlices) for gradient in gradients]
    if all(sparse):
        return _mean_of_slices(gradients, shares)
    if any(sparse):
        raise TowerError(
            "the gradient for {!r} is sparse in towers {} and dense in towers {}: use the variable in the same way in "
            "every tower, or apply tf.convert_to_tensor to the sparse ones".format(
                variable.op.name,
                [index for index, is_sparse in enumerate(sparse) if is_sparse],
                [index for index, is_sparse in enumerate(sparse) if not is_sparse],
            )
        )
    return weighted_mean(gradients, shares)


def _mean_of_slices(gradients: Sequence[Any], shares: Optional[Sequence[Any]]) -> Any:
    index_dtype = tf.int64 if any(gradient.indices.dtype == tf.int64 for gradient in gradients) else tf.int32
    values: List[Any] = [gradient.values for gradient in gradients]
    indices: List[Any] = [tf.cast(gradient.indices, index_dtype) for gradient in gradients]
    if shares is not None:
        kept = [_kept_rows(value, index, share) for value, index, share in zip(values, indices, shares)]
        values, indices = [value for value, _ in kept], [index for _, index in kept]
    joined = tf.concat(values, axis=0) if len(values) > 1 else values[0]
    if shares is None and len(values) > 1:
        joined = tf.multiply(joined, tf.constant(1.0 / len(values), joined.dtype))
    return tf.IndexedSlices(
        joined, tf.concat(indices, axis=0) if len(indices) > 1 else indices[0], gradients[0].dense_shape
    )


def _kept_rows(values: Any, indices: Any, share: Any) -> Tuple[Any, Any]:
    """Returns scaled rows and their indices; none of a tower whose share is 0: momentum would move those it names."""
    positive = tf.cast(tf.greater(share, 0), tf.int32)
    rows = tf.shape(indices)[0] * positive
    factor = tf.cast(share, values.dtype) if tf.is_tensor(share) else tf.constant(share, values.dtype)
    return values[:rows] * factor, indices[:rows]
