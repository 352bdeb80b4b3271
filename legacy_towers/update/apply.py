"""The op that writes the variables once per step."""
from typing import Any, Optional, Sequence, Tuple

from legacy_towers.compat import tf
from legacy_towers.gradients.base import TowerGradients, pairs_of


def apply_reduced(optimizer: Any, reduced: TowerGradients, global_step: Optional[Any] = None) -> Any:
    """Returns the op that applies gradients which a reduction made one, and counts the step.

    Where the reduction says that some steps apply nothing (it accumulates, or a gradient was infinite), the variables
    are written in the others alone; the global step counts every step.

    Args:
      optimizer: a `tf.train.Optimizer`.
      reduced: of `reduce_gradients`; variables without a gradient stay as they are.
      global_step: incremented by 1; None counts nothing.
    """
    pairs = pairs_of(reduced)
    if reduced.apply_if is None:
        applied = optimizer.apply_gradients(pairs)
    else:

        def write() -> Any:
            with tf.control_dependencies([optimizer.apply_gradients(pairs)]):
                return tf.no_op()

        applied = tf.cond(reduced.apply_if, write, tf.no_op)
    with tf.control_dependencies([applied]):
        counted = [] if global_step is None else [tf.assign_add(global_step, 1).op]
    return tf.group(applied, *(counted + list(reduced.beside)))


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
