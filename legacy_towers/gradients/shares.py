"""How much each tower counts in a mean: its share of the sum of weights, such as its count of true examples."""
import math
from typing import Any, Iterable, List, Optional, Sequence, Tuple

from legacy_towers.compat import tf
from legacy_towers.errors import ArgumentError
from legacy_towers.gradients.each import is_number


def tower_shares(weights: Optional[Sequence[Any]], towers: int) -> Optional[List[Any]]:
    """Returns what part of the sum each tower is: numbers where the weights are numbers, else float64 scalars.

    Args:
      weights: one number or scalar tensor per tower; None: all the same.
      towers: how many there are.

    Returns:
      w[k] / sum(w) per tower, 0 for all where the sum of tensors turns out to be 0; None where there are no weights.

    Raises:
      ArgumentError: no list, one that is neither a number nor a scalar tensor of numbers, not one per tower, a negative
        one, or numbers whose sum is 0.
    """
    if weights is None:
        return None
    if tf.is_tensor(weights) or isinstance(weights, str) or not isinstance(weights, Iterable):
        raise ArgumentError("weights is {!r}: give a list with a number or a scalar tensor per tower".format(weights))
    weights = list(weights)
    if not all(map(is_number, weights)):
        raise ArgumentError("weights {!r}: give a number or a scalar tensor per tower".format(weights))
    if len(weights) != towers:
        raise ArgumentError("{} weights for {} towers: give one per tower".format(len(weights), towers))
    plain = [float(weight) for weight in weights if not tf.is_tensor(weight)]
    has_tensors = len(plain) < towers
    # NaN is not >= 0 either.
    if not all(0 <= weight < math.inf for weight in plain) or not (has_tensors or any(plain)):
        raise ArgumentError(
            "weights {!r}: each must be 0 or more and finite, and their sum may not be 0".format(weights)
        )
    if not has_tensors:
        return [weight / sum(plain) for weight in plain]
    with tf.name_scope("tower_weights"):
        scalars = [tf.cast(weight, tf.float64) for weight in weights]
        total = tf.add_n(scalars)
        return [tf.div_no_nan(scalar, total) for scalar in scalars]


def weighted_mean(values: Sequence[Any], shares: Optional[Sequence[Any]]) -> Any:
    """Returns the mean of tensors of one shape, one per tower; a tower of share 0 is left out, even if it is NaN."""
    terms, factor = mean_terms(values, shares)
    return tf.cast(times(wide_sum(terms), factor), terms[0].dtype)


def mean_terms(values: Sequence[Any], shares: Optional[Sequence[Any]]) -> Tuple[List[Any], float]:
    """Returns what is to be added up for a mean, and by what number the sum is then to be multiplied.

    Where towers have shares, the terms are scaled, each on its tensor's own device; one whose share is the number 0 is
    left out.
    """
    if shares is None:
        return list(values), 1.0 / len(values)
    terms = []
    for value, share in zip(values, shares):
        if tf.is_tensor(share) or share:
            with tf.device(value.device):
                terms.append(scaled(value, share))
    return terms, 1.0


def sum_terms(values: Sequence[Any], shares: Optional[Sequence[Any]]) -> List[Any]:
    """Returns what is to be added up for a sum, which shares don't weigh: a tower of share 0 is left out all the same.

    It has no true example, and its gradient can be NaN.
    """
    if shares is None:
        return list(values)
    counted = [
        tf.cast(tf.greater(share, 0), tf.float64) if tf.is_tensor(share) else float(share > 0) for share in shares
    ]
    return mean_terms(values, counted)[0]


def wide(value: Any) -> Any:
    """Returns a tensor of float16 or bfloat16 as float32, to calculate with; any other as it is.

    A sum of N in float16 would round N times, and overflow where the mean does not.
    """
    return tf.cast(value, tf.float32) if value.dtype in (tf.float16, tf.bfloat16) else value


def wide_sum(terms: Sequence[Any]) -> Any:
    """Returns the sum of at least one tensor, all of one dtype and shape; of several of float16 or bfloat16 in float32.

    One pass that reads N tensors and writes one: no stacked copy of N tensors.
    """
    return tf.add_n([wide(term) for term in terms]) if len(terms) > 1 else terms[0]


def times(value: Any, factor: Any) -> Any:
    """Returns `value * factor`, a number or a scalar tensor, in the dtype of `value`; the value itself for 1.0."""
    if not tf.is_tensor(factor) and factor == 1.0:
        return value
    exact = wide(value)
    of_dtype = tf.cast(factor, exact.dtype) if tf.is_tensor(factor) else tf.constant(factor, exact.dtype)
    return tf.cast(tf.multiply(exact, of_dtype), value.dtype)


def scaled(value: Any, share: Any) -> Any:
    """Returns `value * share`; zeros where a share that is a tensor turns out to be 0, even if `value` is NaN then."""
    product = times(value, share)
    if not tf.is_tensor(share):
        return product
    return tf.where(tf.greater(share, 0), product, tf.zeros_like(product))
