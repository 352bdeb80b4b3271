"""resample_at_rate and weighted_resample: batches in which examples are repeated or dropped at random."""
from typing import Any, List, Optional, Tuple

from legacy_towers.compat.tf1.contrib.private.moving_averages import assign_moving_average
from legacy_towers.compat.versions import tf

__all__ = ["resample_at_rate", "weighted_resample"]


def resample_at_rate(
    inputs: List[Any], rates: Any, scope: Optional[str] = None, seed: Optional[int] = None, back_prop: bool = False
) -> List[Any]:
    """Returns the rows of `inputs`, each repeated a Poisson-distributed number of times.

    Args:
      inputs: tensors [batch, ...].
      rates: float [batch], the mean number of repetitions of each row.
      scope: name scope of the ops.
      seed: random seed.
      back_prop: whether gradients are propagated through the sampling.

    Returns:
      Tensors [n, ...], n random; row i of all tensors comes from the same row of `inputs`.
    """
    with tf.name_scope(scope, "resample_at_rate", list(inputs) + [rates]):
        rates = tf.convert_to_tensor(rates, name="rates")
        counts = tf.cast(tf.random_poisson(rates, (), rates.dtype, seed=seed), tf.int32)
        indices = tf.repeat(tf.range(tf.size(counts)), counts)
        if not back_prop:
            indices = tf.stop_gradient(indices)
        return [tf.gather(each, indices) for each in inputs]


def weighted_resample(
    inputs: List[Any],
    weights: Any,
    overall_rate: Any,
    scope: Optional[str] = None,
    mean_decay: float = 0.999,
    seed: Optional[int] = None,
) -> Tuple[List[Any], Any]:
    """Returns the rows of `inputs`, each repeated a random number of times with a mean in proportion to its weight.

    Args:
      inputs: tensors [batch, ...].
      weights: float [batch].
      overall_rate: the mean number of repetitions over all rows.
      scope: name scope of the ops.
      mean_decay: decay of the moving average of the weights, a local variable.
      seed: random seed.

    Returns:
      (tensors [n, ...], rates [n] of the returned rows), n random.
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
