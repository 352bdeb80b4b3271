"""Metrics and validation losses: means over a tower's true examples, and weighted means over towers."""
from typing import Dict, Optional, Sequence

from legacy_towers.compat import tf
from legacy_towers.errors import TowerError
from legacy_towers.gradients.tower_weights import weighted_mean
from legacy_towers.tensor_types import Tensor
from legacy_towers.text.names import quoted
from legacy_towers.towers.replicate import Tower


def mean_metrics(towers: Sequence[Tower], tower_weights: Optional[Sequence[Tensor]] = None) -> Dict[str, Tensor]:
    """Returns name -> scalar tensor: the mean over towers, and over true examples where a metric has a value for each.

    Args:
      tower_weights: the towers' weights, numbers or scalar tensors that sum to 1; None: all weigh the same.

    Raises:
      TowerError: the towers returned different metrics; one is neither a scalar nor a vector of numbers; or it is a
        scalar where rows are padding.
    """
    of_towers = [tower.output.metrics or {} for tower in towers]
    for tower, metrics in zip(towers, of_towers):
        if set(metrics) != set(of_towers[0]):
            raise TowerError(
                "tower {} returned the metrics {}, tower {} {}: each tower must return the same ones".format(
                    tower.index,
                    quoted(sorted(metrics)) or "none",
                    towers[0].index,
                    quoted(sorted(of_towers[0])) or "none",
                )
            )
    return {
        name: weighted_mean(
            [_mean(metrics[name], name, tower) for tower, metrics in zip(towers, of_towers)], tower_weights
        )
        for name in (sorted(of_towers[0]) if of_towers else [])
    }


def validation_loss(towers: Sequence[Tower], tower_weights: Optional[Sequence[Tensor]] = None) -> Optional[Tensor]:
    """Returns the mean of the losses of towers that validate, None if there are none.

    A tower's loss is what its model function returned, or else the sum of what it added to the collection 'losses'.
    """
    losses = []
    for tower in towers:
        terms = tower.collected.losses if tower.output.loss is None else [tower.output.loss]
        means = [_mean(term, "loss", tower) for term in terms]
        losses += [tf.add_n(means) if len(means) > 1 else means[0]] if means else []
    if len(losses) not in (0, len(towers)):
        raise TowerError("only some of the towers {} have a validation loss".format([tower.index for tower in towers]))
    return weighted_mean(losses, tower_weights) if losses else None


def _mean(metric: Tensor, name: str, tower: Tower) -> Tensor:
    numeric = tf.is_tensor(metric) and (metric.dtype.is_floating or metric.dtype.is_integer or metric.dtype.is_bool)
    if not numeric or metric.shape.ndims not in (None, 0, 1):
        raise TowerError(
            "the metric {!r} of tower {} is {!r}: a metric is one tensor of numbers, a scalar or a vector with one "
            "value per example".format(name, tower.index, metric)
        )
    if tower.examples.padded and metric.shape.ndims != 1:
        raise TowerError(
            'the metric {!r} of tower {} {}: remainder="pad" fills the last batch with copies, which only a value per '
            'example can leave out. Return a vector of values (no tf.reduce_mean), or use remainder="short"'.format(
                name, tower.index, "is a scalar" if metric.shape.ndims == 0 else "has an unknown shape"
            )
        )
    # The mean of integers is an integer in TensorFlow: of 0 and 1 it would be 0.
    numbers = metric if metric.dtype.is_floating else tf.cast(metric, tf.float32)
    if numbers.shape.ndims == 1:
        with tf.device(tower.placer), tf.name_scope(tower.scope):
            return tower.examples.mean(numbers, "the metric {!r} of tower {}".format(name, tower.index))
    return tf.reduce_mean(numbers)
