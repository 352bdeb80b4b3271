"""The weights of towers in a mean, such as their counts of true examples, and weighted means and sums of tensors."""
import math
from typing import Any, Iterable, List, Optional, Sequence, Tuple

from legacy_towers.cluster.workers import Workers
from legacy_towers.compat import tf
from legacy_towers.errors import ArgumentError
from legacy_towers.gradients.transforms.each import is_number
from legacy_towers.tensor_types import Tensor


def normalized_tower_weights(
    weights: Optional[Sequence[Any]], towers: int, workers: Optional[Workers] = None
) -> Optional[List[Any]]:
    """Returns the towers' weights divided by their sum.

    Args:
      weights: one number or scalar tensor of any numeric dtype per tower, 0 or more; None: all equal.
      workers: whose towers' weights, which must be tensors then, are part of the sum too; None for one process.

    Returns:
      weights[k] / sum(weights) per tower: floats if all weights are numbers, else float64 scalar tensors, which are all
      0 where the sum turns out to be 0. None if `weights` is None.

    Raises:
      ArgumentError: `weights` is not a list with one number or scalar tensor per tower; a number is negative, infinite
        or NaN; or the sum of numbers is 0.
    """
    if weights is None:
        return None
    if tf.is_tensor(weights) or isinstance(weights, str) or not isinstance(weights, Iterable):
        raise ArgumentError("weights is {!r}: pass a list with a number or a scalar tensor per tower".format(weights))
    weights = list(weights)
    if not all(map(is_number, weights)):
        raise ArgumentError("weights is {!r}: pass a number or a scalar tensor per tower".format(weights))
    if len(weights) != towers:
        raise ArgumentError("{} weights for {} towers: pass one per tower".format(len(weights), towers))
    numbers = [float(weight) for weight in weights if not tf.is_tensor(weight)]
    has_tensors = len(numbers) < towers
    # NaN is not >= 0 either.
    if not all(0 <= weight < math.inf for weight in numbers) or not (has_tensors or any(numbers)):
        raise ArgumentError(
            "weights is {!r}: each must be finite and at least 0, and their sum more than 0".format(weights)
        )
    if not has_tensors:
        return [weight / sum(numbers) for weight in numbers]
    with tf.name_scope("tower_weights"):
        scalars = [tf.cast(weight, tf.float64) for weight in weights]
        total = tf.add_n(scalars)
        if workers is not None:
            total = workers.sum(total, "tower_weights")
        return [tf.div_no_nan(scalar, total) for scalar in scalars]


def weighted_mean(values: Sequence[Tensor], tower_weights: Optional[Sequence[Any]]) -> Tensor:
    """Returns the mean of tensors of one shape and dtype, in that dtype.

    Args:
      values: one tensor per tower.
      tower_weights: as `normalized_tower_weights` returns them. A tower of weight 0 is left out, even if its value is
        NaN.
    """
    terms, factor = mean_terms(values, tower_weights)
    return tf.cast(multiply(upcast_sum(terms), factor), terms[0].dtype)


def mean_terms(values: Sequence[Any], tower_weights: Optional[Sequence[Any]]) -> Tuple[List[Any], float]:
    """Returns the terms of a mean, and the number that their sum is to be multiplied by.

    With weights, each term is multiplied by its weight on its tensor's own device, and a tower whose weight is the
    number 0 has no term.
    """
    if tower_weights is None:
        return list(values), 1.0 / len(values)
    terms = []
    for value, tower_weight in zip(values, tower_weights):
        if tf.is_tensor(tower_weight) or tower_weight:
            with tf.device(value.device):
                terms.append(weighted(value, tower_weight))
    return terms, 1.0


def sum_terms(values: Sequence[Any], tower_weights: Optional[Sequence[Any]]) -> List[Any]:
    """Returns the terms of a sum: the values as they are, without those of towers of weight 0.

    Such a tower has no true example, and its gradient can be NaN.
    """
    if tower_weights is None:
        return list(values)
    has_weight = [
        tf.cast(tf.greater(tower_weight, 0), tf.float64) if tf.is_tensor(tower_weight) else float(tower_weight > 0)
        for tower_weight in tower_weights
    ]
    return mean_terms(values, has_weight)[0]


def upcast(value: Tensor) -> Tensor:
    """Returns a float16 or bfloat16 tensor as float32, any other tensor unchanged.

    A sum of N terms in float16 would round N times, and overflow where the mean does not.
    """
    return tf.cast(value, tf.float32) if value.dtype in (tf.float16, tf.bfloat16) else value


def upcast_sum(terms: Sequence[Tensor]) -> Tensor:
    """Returns the sum of tensors of one shape and dtype; of several of 16 bits in float32.

    One `tf.add_n` reads N tensors and writes one: there is no stacked copy of N tensors.
    """
    return tf.add_n([upcast(term) for term in terms]) if len(terms) > 1 else terms[0]


def multiply(value: Tensor, factor: Any) -> Tensor:
    """Returns `value * factor` in the dtype of `value`; `value` itself if the factor is the number 1.

    Args:
      value: a tensor; float16 and bfloat16 are multiplied in float32.
    """
    if not tf.is_tensor(factor) and factor == 1.0:
        return value
    wide = upcast(value)
    wide_factor = tf.cast(factor, wide.dtype) if tf.is_tensor(factor) else tf.constant(factor, wide.dtype)
    return tf.cast(tf.multiply(wide, wide_factor), value.dtype)


def weighted(value: Tensor, tower_weight: Any) -> Tensor:
    """Returns `value * tower_weight`; zeros where a weight that is a tensor is 0, even if `value` is NaN."""
    product = multiply(value, tower_weight)
    if not tf.is_tensor(tower_weight):
        return product
    return tf.where(tf.greater(tower_weight, 0), product, tf.zeros_like(product))
