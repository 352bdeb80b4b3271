"""Each tower's gradients, computed on the tower's device and in its scope."""
from typing import Any, List, Optional, Sequence, Tuple

from legacy_towers.compat import tf
from legacy_towers.towers.replicate import Tower


def tower_gradients(
    towers: Sequence[Tower], optimizer: Any, var_list: Optional[Sequence[Any]] = None
) -> List[List[Tuple[Optional[Any], Any]]]:
    """Returns, per tower, what `optimizer.compute_gradients(tower.loss)` returns: (gradient or None, variable) pairs.

    Args:
      towers: the towers, each with a scalar loss.
      optimizer: a `tf.train.Optimizer`.
      var_list: the variables; by default all trainable ones of the graph.
    """
    gradients = []
    for tower in towers:
        with tf.device(tower.placer), tf.name_scope(tower.scope):
            gradients.append(optimizer.compute_gradients(tower.loss, var_list=var_list))
    return gradients
