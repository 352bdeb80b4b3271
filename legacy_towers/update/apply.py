"""The op that writes the variables once per step."""
from typing import Any, Optional, Sequence, Tuple

from legacy_towers.compat import tf


def apply_gradients(
    optimizer: Any,
    gradients: Sequence[Tuple[Optional[Any], Any]],
    global_step: Any,
    update_ops: Sequence[Any] = (),
    moving_averages: Optional[Any] = None,
    averaged_variables: Sequence[Any] = (),
) -> Any:
    """Returns the train op: variables, global step, update ops and moving averages, each written once.

    Args:
      optimizer: a `tf.train.Optimizer`.
      gradients: (gradient, variable) pairs; pairs without a gradient leave their variable as it is.
      global_step: incremented by 1.
      update_ops: ops that run beside, for example of batch norm.
      moving_averages: a `tf.train.ExponentialMovingAverage` over `averaged_variables`, updated after they are written.
    """
    applied = optimizer.apply_gradients(gradients, global_step=global_step)
    with tf.control_dependencies([applied]):
        averaged = [moving_averages.apply(list(averaged_variables))] if moving_averages is not None else []
    return tf.group(applied, *(list(update_ops) + averaged), name="train_op")
