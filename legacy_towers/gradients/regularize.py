"""The gradient of the regularization, added once to the mean of the towers' gradients."""
from typing import Any, Collection, List, Optional, Sequence, Tuple

from legacy_towers.compat import tf


def add_regularization(
    averaged: Sequence[Tuple[Optional[Any], Any]],
    regularization: Optional[Any],
    optimizer: Any,
    dropped: Collection[str] = (),
) -> List[Tuple[Optional[Any], Any]]:
    """Returns (gradient, variable) pairs of the mean of the towers' losses plus the regularization.

    A sparse gradient of a regularized variable becomes dense, as it does without towers: its decay is dense.

    Args:
      averaged: (mean of the towers' gradients or None, variable).
      regularization: scalar tensor, what the mean of the towers' losses lacks; None if nothing.
      optimizer: the `tf.train.Optimizer` that computed the towers' gradients.
      dropped: names of variables that are to stay as they are, decay included.
    """
    if regularization is None:
        return list(averaged)
    # Beside the regularization losses themselves, which get_variable put on their variable's device.
    extra = optimizer.compute_gradients(
        regularization, var_list=[variable for _, variable in averaged], colocate_gradients_with_ops=True
    )
    result: List[Tuple[Optional[Any], Any]] = []
    for (gradient, variable), (addition, _) in zip(averaged, extra):
        if addition is not None and variable.op.name not in dropped:
            with tf.device(variable.device):
                gradient = addition if gradient is None else _sum(gradient, addition)
        result.append((gradient, variable))
    return result


def _sum(gradient: Any, addition: Any) -> Any:
    return tf.add(tf.convert_to_tensor(gradient), tf.convert_to_tensor(addition))
