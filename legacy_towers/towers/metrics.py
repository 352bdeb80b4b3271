"""Scalars of the towers made one: losses and metrics."""
from typing import Any, Dict, Sequence

from legacy_towers.compat import tf
from legacy_towers.errors import TowerError
from legacy_towers.names import quoted
from legacy_towers.towers.replicate import Tower


def mean_over_towers(scalars: Sequence[Any]) -> Any:
    """Returns the mean of scalar tensors, one per tower."""
    return tf.add_n(list(scalars)) / len(scalars) if len(scalars) > 1 else scalars[0]


def mean_metrics(towers: Sequence[Tower]) -> Dict[str, Any]:
    """Returns name -> scalar tensor: the mean over towers, and over examples where a metric has a value for each.

    Raises:
      TowerError: the towers returned different metrics.
    """
    of_towers = [tower.output.metrics or {} for tower in towers]
    for tower, metrics in zip(towers, of_towers):
        if set(metrics) != set(of_towers[0]):
            raise TowerError(
                "tower {} returned the metrics {}, tower 0 {}: each tower must return the same ones".format(
                    tower.index, quoted(sorted(metrics)) or "none", quoted(sorted(of_towers[0])) or "none"
                )
            )
    return {
        name: mean_over_towers([_mean(metrics[name], name, tower.index) for tower, metrics in zip(towers, of_towers)])
        for name in sorted(of_towers[0])
    }


def _mean(metric: Any, name: str, tower: int) -> Any:
    numeric = tf.is_tensor(metric) and (metric.dtype.is_floating or metric.dtype.is_integer or metric.dtype.is_bool)
    if not numeric or metric.shape.ndims not in (None, 0, 1):
        raise TowerError(
            "the metric {!r} of tower {} is {!r}: a metric is one tensor of numbers, a scalar or a vector with one "
            "value per example".format(name, tower, metric)
        )
    # Whole numbers would be divided as such: the mean of 0 and 1 would be 0.
    return tf.reduce_mean(metric if metric.dtype.is_floating else tf.cast(metric, tf.float32))
