"""Examples taken more or less often than they come."""
from typing import Any, List, Optional, Tuple

from legacy_towers.compat import tf
from legacy_towers.compat.moving_averages import assign_moving_average

__all__ = ["resample_at_rate", "weighted_resample"]


def resample_at_rate(
    inputs: List[Any], rates: Any, scope: Optional[str] = None, seed: Optional[int] = None, back_prop: bool = False
) -> List[Any]:
    """Returns the rows of `inputs`, each a Poisson-distributed number of times.

    Args:
      inputs: tensors [batch, ...].
      rates: [batch], the mean number of times.
      scope: of the operations.
      seed: of the random numbers.
      back_prop: whether gradients go through the choice.
    """
    with tf.name_scope(scope, "resample_at_rate", list(inputs) + [rates]):
        rates = tf.convert_to_tensor(rates, name="rates")
        counts = tf.cast(tf.random_poisson(rates, (), rates.dtype, seed=seed), tf.int32)
        chosen = tf.repeat(tf.range(tf.size(counts)), counts)
        if not back_prop:
            chosen = tf.stop_gradient(chosen)
        return [tf.gather(each, chosen) for each in inputs]


def weighted_resample(
    inputs: List[Any],
    weights: Any,
    overall_rate: Any,
    scope: Optional[str] = None,
    mean_decay: float = 0.999,
    seed: Optional[int] = None,
) -> Tuple[List[Any], Any]:
    """Returns the rows of `inputs`, each as often as its weight says.

    Args:
      inputs: tensors [batch, ...].
      weights: [batch].
      overall_rate: the mean number of times over all.
      scope: of the operations.
      mean_decay: of the moving average of the weights, a local variable.
      seed: of the random numbers.

    Returns:
      The tensors, with an unknown first dimension, and the rate by which each row was taken.
    """
    with tf.name_scope(scope, "weighted_resample", inputs) as entered:
        with tf.variable_scope(scope, "estimate_mean", inputs):
            estimated = tf.get_local_variable(
                "estimated_mean", initializer=tf.cast(0, weights.dtype), dtype=weights.dtype
            )
            mean = assign_moving_average(estimated, tf.reduce_mean(weights), mean_decay, zero_debias=True)
        rates = weights * overall_rate / mean
        results = resample_at_rate([rates] + list(inputs), rates, scope=entered, seed=seed)
        return results[1:], results[0]
