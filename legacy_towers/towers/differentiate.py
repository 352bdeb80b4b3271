"""Each tower's gradients, computed on the tower's device and in its scope."""
from typing import Any, List, Optional, Sequence, Tuple

from legacy_towers.compat import tf
from legacy_towers.towers.replicate import Tower


def tower_gradients(
    towers: Sequence[Tower], losses: Sequence[Any], optimizer: Any, variables: Sequence[Any]
) -> List[List[Tuple[Optional[Any], Any]]]:
    """Returns, per tower, (gradient or None, plain-named variable) pairs, in the order of `variables`.

    Where towers have variables of their own, a tower's gradient is that of its own copy.

    Args:
      towers: the towers.
      losses: one scalar tensor per tower.
      optimizer: a `tf.train.Optimizer`, whose `compute_gradients` is used.
      variables: the variables, by their plain names.
    """
    gradients = []
    for tower, loss in zip(towers, losses):
        own = [tower.variables.own(tower.index, variable) for variable in variables]
        with tf.device(tower.placer), tf.name_scope(tower.scope):
            pairs = optimizer.compute_gradients(loss, var_list=own)
        of_own = {id(variable): gradient for gradient, variable in pairs}
        gradients.append([(of_own.get(id(copy)), variable) for copy, variable in zip(own, variables)])
    return gradients
