"""The gradient of what all towers' losses lack alike: a regularization of the variables alone."""
from typing import Any, List, Optional, Sequence

from legacy_towers.compat import tf


def regularization_gradients(
    regularization: Optional[Any], optimizer: Any, variables: Sequence[Any]
) -> List[Optional[Any]]:
    """Returns a dense gradient per variable, or None where the regularization does not depend on it.

    Args:
      regularization: scalar tensor, what the mean of the towers' losses lacks; None if nothing.
      optimizer: the `tf.train.Optimizer` that computes the towers' gradients.
      variables: the variables.
    """
    if regularization is None:
        return [None] * len(variables)
    # Beside the regularization losses themselves, which get_variable put on their variable's device.
    pairs = optimizer.compute_gradients(regularization, var_list=list(variables), colocate_gradients_with_ops=True)
    found = {id(variable): gradient for gradient, variable in pairs}
    return [_dense(found.get(id(variable)), variable) for variable in variables]


def _dense(gradient: Optional[Any], variable: Any) -> Optional[Any]:
    if gradient is None:
        return None
    with tf.device(variable.device):
        return tf.convert_to_tensor(gradient)
