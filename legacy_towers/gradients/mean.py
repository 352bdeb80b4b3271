"""The mean of one variable's gradients over towers, dense or sparse."""
from typing import Any, List, Optional, Sequence

from legacy_towers.compat import tf
from legacy_towers.errors import TowerError


def mean_gradient(gradients: Sequence[Any], shares: Optional[Sequence[Any]], variable: Any) -> Any:
    """Returns the mean of gradients of the same kind; sparse ones stay sparse.

        dense, 2 towers:    [a b c]   [d e f]             ->  [a+d b+e c+f] / 2
        sparse, 2 towers:   rows {3: a}  rows {3: b, 7: c}  ->  rows {3: a/2, 3: b/2, 7: c/2}

    A row that several towers hold is kept once per tower: every TF1 optimizer sums repeated indices.

    Args:
      gradients: one tensor or IndexedSlices per tower, all of the variable's dtype.
      shares: one scalar (number or tensor of that dtype) per tower, which sum to 1; None: 1 / N each.
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
    if len(gradients) == 1:
        return gradients[0] if shares is None else gradients[0] * _scalar(shares[0], gradients[0])
    if shares is None:
        # One pass that reads N tensors and writes one, then a scaling in place: no stacked copy of N gradients.
        return tf.multiply(tf.add_n(list(gradients)), _scalar(1.0 / len(gradients), gradients[0]))
    return tf.add_n([gradient * _scalar(share, gradient) for gradient, share in zip(gradients, shares)])


def _mean_of_slices(gradients: Sequence[Any], shares: Optional[Sequence[Any]]) -> Any:
    index_dtype = tf.int64 if any(gradient.indices.dtype == tf.int64 for gradient in gradients) else tf.int32
    values: List[Any] = [gradient.values for gradient in gradients]
    if shares is not None:
        values = [value * _scalar(share, value) for value, share in zip(values, shares)]
    joined = tf.concat(values, axis=0) if len(values) > 1 else values[0]
    if shares is None and len(values) > 1:
        joined = tf.multiply(joined, _scalar(1.0 / len(values), joined))
    indices = [tf.cast(gradient.indices, index_dtype) for gradient in gradients]
    return tf.IndexedSlices(
        joined, tf.concat(indices, axis=0) if len(indices) > 1 else indices[0], gradients[0].dense_shape
    )


def _scalar(value: Any, like: Any) -> Any:
    return tf.cast(value, like.dtype) if tf.is_tensor(value) else tf.constant(value, like.dtype)
