"""The mean or sum of one variable's gradients, dense or sparse."""
from typing import Any, List, Optional, Sequence, Tuple

from legacy_towers.compat import tf
from legacy_towers.errors import TowerError
from legacy_towers.gradients.tower_weights import mean_terms, multiply, sum_terms
from legacy_towers.tensor_types import Gradient


def is_sparse(gradients: Sequence[Gradient], name: str, towers: Sequence[int]) -> bool:
    """Returns whether all gradients are IndexedSlices.

    Args:
      gradients: one tensor or IndexedSlices per tower.

    Raises:
      TowerError: some gradients are sparse and some are dense; names the variable and the towers.
    """
    sparse = [isinstance(gradient, tf.IndexedSlices) for gradient in gradients]
    if any(sparse) and not all(sparse):
        raise TowerError(
            "the gradient for {!r} is sparse in towers {} and dense in towers {}: use the variable in the same way in "
            "every tower, or put lt.gradients.densify() before the reduction, which makes the sparse ones dense".format(
                name,
                [tower for tower, each in zip(towers, sparse) if each],
                [tower for tower, each in zip(towers, sparse) if not each],
            )
        )
    return all(sparse)


def dense_terms(
    gradients: Sequence[Gradient], tower_weights: Optional[Sequence[Any]], combine: str
) -> Tuple[List[Any], float]:
    """Returns the terms of the mean or sum, and the number that their sum is to be multiplied by.

    Args:
      gradients: tensors of one shape and dtype, one per tower.
      tower_weights: one number or float64 scalar tensor per tower, which sum to 1; None: 1 / N each. A tower of weight
        0 is left out, of a sum too, even if its gradient is NaN.
      combine: "mean" or "sum".
    """
    return mean_terms(gradients, tower_weights) if combine == "mean" else (sum_terms(gradients, tower_weights), 1.0)


def combine_slices(gradients: Sequence[Gradient], tower_weights: Optional[Sequence[Any]], combine: str) -> Gradient:
    """Returns the mean or the sum of IndexedSlices, as IndexedSlices.

        2 towers:   rows {3: a}  rows {3: b, 7: c}  ->  rows {3: a/2, 3: b/2, 7: c/2}

    A row that several towers have is in the result once per tower: every TF1 optimizer sums repeated indices. The
    arguments are those of `dense_terms`.
    """
    index_dtype = tf.int64 if any(gradient.indices.dtype == tf.int64 for gradient in gradients) else tf.int32
    values: List[Any] = [gradient.values for gradient in gradients]
    indices: List[Any] = [tf.cast(gradient.indices, index_dtype) for gradient in gradients]
    if tower_weights is not None:
        factors = tower_weights if combine == "mean" else [1.0] * len(values)
        kept = [_kept_rows(*each) for each in zip(values, indices, tower_weights, factors)]
        values, indices = [value for value, _ in kept], [index for _, index in kept]
    rows = tf.concat(values, axis=0) if len(values) > 1 else values[0]
    if tower_weights is None and combine == "mean":
        rows = multiply(rows, 1.0 / len(values))
    return tf.IndexedSlices(
        rows, tf.concat(indices, axis=0) if len(indices) > 1 else indices[0], gradients[0].dense_shape
    )


def _kept_rows(values: Any, indices: Any, tower_weight: Any, factor: Any) -> Tuple[Any, Any]:
    """Returns weighted rows and their indices; of a tower of weight 0 none: zeros would be rows for momentum."""
    positive = tf.cast(tf.greater(tower_weight, 0), tf.int32)
    rows = tf.shape(indices)[0] * positive
    return multiply(values[:rows], factor), indices[:rows]
