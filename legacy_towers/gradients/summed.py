"""One variable's gradients, dense or sparse, in one mean or sum."""
from typing import Any, List, Optional, Sequence, Tuple

from legacy_towers.compat import tf
from legacy_towers.errors import TowerError
from legacy_towers.gradients.shares import mean_terms, sum_terms, times


def is_sparse(gradients: Sequence[Any], name: str, towers: Sequence[int]) -> bool:
    """Returns whether all gradients are IndexedSlices.

    Raises:
      TowerError: some are and some are not; names the variable `name` and which of `towers`, one per gradient.
    """
    sparse = [isinstance(gradient, tf.IndexedSlices) for gradient in gradients]
    if any(sparse) and not all(sparse):
        raise TowerError(
            "the gradient for {!r} is sparse in towers {} and dense in towers {}: use the variable in the same way in "
            "every tower, or put lt.gradients.densify() in front, which makes the sparse ones dense".format(
                name,
                [tower for tower, each in zip(towers, sparse) if each],
                [tower for tower, each in zip(towers, sparse) if not each],
            )
        )
    return all(sparse)


def dense_terms(gradients: Sequence[Any], shares: Optional[Sequence[Any]], combine: str) -> Tuple[List[Any], float]:
    """Returns what is to be added up, and by what number the sum is then to be multiplied.

    Args:
      gradients: tensors of one shape and dtype, one per tower.
      shares: one scalar (number or float64 tensor) per tower, which sum to 1; None: 1 / N each. A tower whose share is
        0 is left out, of a sum too, even if it is NaN.
      combine: "mean" or "sum".
    """
    return mean_terms(gradients, shares) if combine == "mean" else (sum_terms(gradients, shares), 1.0)


def combine_slices(gradients: Sequence[Any], shares: Optional[Sequence[Any]], combine: str) -> Any:
    """Returns the mean or the sum of IndexedSlices, as IndexedSlices.

        2 towers:   rows {3: a}  rows {3: b, 7: c}  ->  rows {3: a/2, 3: b/2, 7: c/2}

    A row that several towers hold is kept once per tower: every TF1 optimizer sums repeated indices. Arguments are
    those of `dense_terms`.
    """
    index_dtype = tf.int64 if any(gradient.indices.dtype == tf.int64 for gradient in gradients) else tf.int32
    values: List[Any] = [gradient.values for gradient in gradients]
    indices: List[Any] = [tf.cast(gradient.indices, index_dtype) for gradient in gradients]
    if shares is not None:
        factors = shares if combine == "mean" else [1.0] * len(values)
        kept = [_kept_rows(*each) for each in zip(values, indices, shares, factors)]
        values, indices = [value for value, _ in kept], [index for _, index in kept]
    joined = tf.concat(values, axis=0) if len(values) > 1 else values[0]
    if shares is None and combine == "mean":
        joined = times(joined, 1.0 / len(values))
    return tf.IndexedSlices(
        joined, tf.concat(indices, axis=0) if len(indices) > 1 else indices[0], gradients[0].dense_shape
    )


def _kept_rows(values: Any, indices: Any, share: Any, factor: Any) -> Tuple[Any, Any]:
    """Returns scaled rows and their indices; none of a tower whose share is 0: momentum would move those it names."""
    positive = tf.cast(tf.greater(share, 0), tf.int32)
    rows = tf.shape(indices)[0] * positive
    return times(values[:rows], factor), indices[:rows]
