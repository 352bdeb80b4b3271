"""The train op, which writes the variables once per step."""
from typing import Any, Callable, List, Optional, Sequence

from legacy_towers.cluster.workers import Workers
from legacy_towers.compat import tf
from legacy_towers.errors import ArgumentError
from legacy_towers.gradients.base import TowerGradients, pairs_of
from legacy_towers.gradients.reduce import check_global_step
from legacy_towers.tensor_types import Operation, Optimizer, Tensor, Variable
from legacy_towers.text.names import quoted
from legacy_towers.update.copies import create_center_slots, own_rows, registering_slots, to_every_copy
from legacy_towers.variables.tower_variables import TowerVariables


def apply_reduced(
    optimizer: Optimizer,
    reduced: TowerGradients,
    global_step: Optional[Variable] = None,
    update_ops: Sequence[Operation] = (),
    moving_averages: Optional[Any] = None,
    averaged_variables: Sequence[Variable] = (),
    variables: Optional[TowerVariables] = None,
) -> Operation:
    """Returns the train op, which writes variables, global step, update ops and moving averages once each.

    Where the reduction applies nothing in some steps (it accumulates, or a gradient was infinite), variables, slots and
    moving averages are written in the other steps alone. The global step counts every step; update ops and the
    `reduced.unconditional_ops` run in every step.

        gradients -> unconditional ops -> variables, slots -> global step -> moving averages

    Variables are written after the unconditional ops. A reduction that returns the gradients of an earlier step
    (`delayed`) thereby makes the write wait until this step's gradients are computed from the variables before it.

    Args:
      optimizer: a `tf.train.Optimizer`, or an object with its `apply_gradients`. Where some steps apply nothing, it
        gets no global step.
      reduced: what `reduce_gradients` returned; variables without a gradient stay as they are.
      global_step: incremented by 1; None: nothing is counted.
      update_ops: operations to run in the same step, such as those of batch norm.
      moving_averages: a `tf.train.ExponentialMovingAverage` over `averaged_variables`, updated after they are written.
      averaged_variables: the variables that have a moving average.
      variables: where towers have copies of the variables: the gradients are applied to all copies, in one call of the
        optimizer, so that its state for all variables (Adam's beta powers) is updated once.

    Raises:
      ArgumentError: `optimizer` is not an optimizer; `reduced` was not returned by `reduce_gradients`, or has several
        towers' gradients; `global_step` is not a variable; `moving_averages` is not an ExponentialMovingAverage, or has
        no variables to average.
    """
    _check(optimizer, reduced)
    check_global_step(global_step)
    if moving_averages is not None and not (hasattr(moving_averages, "apply") and len(averaged_variables)):
        raise ArgumentError(
            "moving_averages is {!r} over {} variables: give a tf.train.ExponentialMovingAverage, and its variables as "
            "averaged_variables, such as tf.trainable_variables()".format(moving_averages, len(averaged_variables))
        )
    if variables is not None:
        with registering_slots(variables):
            copies = to_every_copy(reduced, variables)
            return apply_reduced(optimizer, copies, global_step, update_ops, moving_averages, averaged_variables)
    pairs = pairs_of(reduced)
    if reduced.apply_if is None:
        with tf.control_dependencies(list(reduced.unconditional_ops)):
            applied = optimizer.apply_gradients(pairs, global_step=global_step)
        counted = [applied]
    else:
        # Operations of tf.cond wait for its condition alone, not for the control dependencies around it.
        with tf.control_dependencies(list(reduced.unconditional_ops)):
            apply_if = tf.identity(reduced.apply_if)
        applied = _where(apply_if, lambda: optimizer.apply_gradients(pairs))
        # Depends on the gradients too: in a step that applies nothing they could otherwise be computed, and read the
        # global step, after it was counted.
        with tf.control_dependencies([applied] + [gradient.op for gradient in _tensors(reduced)]):
            counted = [applied] if global_step is None else [applied, tf.assign_add(global_step, 1).op]
    averaged: List[Operation] = []
    if moving_averages is not None:
        with tf.control_dependencies(counted):
            averaged = [average(moving_averages, averaged_variables, reduced.apply_if)]
    return tf.group(*(counted + list(reduced.unconditional_ops) + list(update_ops) + averaged), name="train_op")


def apply_own(
    optimizer: Optimizer,
    of_towers: Sequence[TowerGradients],
    variables: TowerVariables,
    global_step: Optional[Variable] = None,
    update_ops: Sequence[Operation] = (),
    workers: Optional[Workers] = None,
) -> Operation:
    """Returns the train op of towers that each apply their own gradients to their own copies of the variables.

    All copies are written in one call of the optimizer, so that its state for all variables is updated once. For the
    plain-named variables the optimizer creates slots, which are registered in `variables`, and applies nothing. Moving
    averages of these (`average`) are updated later, after the copies have been averaged.

    Args:
      optimizer: a `tf.train.Optimizer`.
      of_towers: each training tower's gradients, each of a reduction over this tower alone, for plain-named variables.
      variables: of the towers.
      global_step: incremented by 1; None: nothing is counted.
      update_ops: operations of all towers to run in the same step.
      workers: the workers of a cluster, of which one has these towers; None for one process.

    Raises:
      ArgumentError: there is no tower.
      TowerError: only some towers have a gradient for a shared variable.
    """
    with registering_slots(variables):
        combined = own_rows(of_towers, variables, workers)
        if variables.center:
            # Also for variables for which only some towers have a gradient.
            rows = [row for gradients in of_towers for row in gradients.rows if row.gradients[0] is not None]
            plain = [variables.plain(row.variable) for row in rows if variables.group_of(row.variable)]
            create_center_slots(optimizer, list({id(variable): variable for variable in plain}.values()))
        return apply_reduced(optimizer, combined, global_step, update_ops)


def average(moving_averages: Any, variables: Sequence[Variable], apply_if: Optional[Tensor] = None) -> Operation:
    """Returns the operation that updates the moving averages of `variables`.

    To be called under control dependencies on everything that writes the variables.

    Args:
      apply_if: boolean scalar tensor: whether this step updates the averages; None: every step does.
    """
    if apply_if is None:
        return moving_averages.apply(list(variables))
    # Operations of tf.cond wait for its condition alone, not for the control dependencies around it.
    return _where(tf.identity(apply_if), lambda: moving_averages.apply(list(variables)))


def _check(optimizer: Any, reduced: Any) -> None:
    if isinstance(optimizer, type) or not hasattr(optimizer, "apply_gradients"):
        raise ArgumentError(
            "optimizer is {!r}: give a tf.train.Optimizer, such as tf.train.AdamOptimizer(1e-3)".format(optimizer)
        )
    if not isinstance(reduced, TowerGradients):
        raise ArgumentError(
            "reduced must be what lt.reduce_gradients returns, got {}: apply a list of (gradient, variable) by "
            "optimizer.apply_gradients".format(type(reduced).__name__)
        )
    per_tower = [] if reduced.reduced else [row.name for row in reduced.rows if len(row.gradients) > 1]
    if per_tower:
        raise ArgumentError(
            "the gradients for {} are still one per tower: reduce them by lt.reduce_gradients".format(quoted(per_tower))
        )


def _where(condition: Tensor, write: Callable[[], Operation]) -> Operation:
    """Returns an operation that runs the one that `write` creates if the condition holds, and else does nothing."""
    scope = tf.get_default_graph().get_name_scope()

    def guarded() -> Operation:
        # Adam's beta powers are named by the name scope: tf.cond's own scope would be part of their names.
        with tf.name_scope(scope + "/" if scope else ""):
            with tf.control_dependencies([write()]):
                return tf.no_op()

    return tf.cond(condition, guarded, tf.no_op)


def _tensors(reduced: TowerGradients) -> List[Tensor]:
    gradients = [row.gradients[0] for row in reduced.rows if row.gradients[0] is not None]
    return [each.values if isinstance(each, tf.IndexedSlices) else each for each in gradients]
