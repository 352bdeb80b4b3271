"""The op that writes the variables once per step."""
from typing import Any, Callable, List, Optional, Sequence

from legacy_towers.compat import tf
from legacy_towers.errors import ArgumentError
from legacy_towers.gradients.base import TowerGradients, pairs_of
from legacy_towers.gradients.reduce import check_global_step
from legacy_towers.names import quoted
from legacy_towers.update.copies import each_to_its_own, make_center_slots, slots_registered, to_every_copy
from legacy_towers.variables.copies import TowerVariables


def apply_reduced(
    optimizer: Any,
    reduced: TowerGradients,
    global_step: Optional[Any] = None,
    update_ops: Sequence[Any] = (),
    moving_averages: Optional[Any] = None,
    averaged_variables: Sequence[Any] = (),
    variables: Optional[TowerVariables] = None,
) -> Any:
    """Returns the train op: variables, global step, update ops and moving averages, each written once.

    Where the reduction says that some steps apply nothing (it accumulates, or a gradient was infinite), variables,
    slots and moving averages are written in the others alone. The global step counts every step, update ops and what
    the reduction does beside run in every step.

        gradients -> beside -> variables, slots -> global step -> moving averages

    Variables are written after all that the reduction does beside: a reduction that hands on the gradients of another
    step (`deferred`) so makes the write wait until this step's gradients are computed from the variables as they were.

    Args:
      optimizer: a `tf.train.Optimizer`, or what has its `apply_gradients`. Where some steps apply nothing it is given
        no global step.
      reduced: of `reduce_gradients`; variables without a gradient stay as they are.
      global_step: incremented by 1; None counts nothing.
      update_ops: ops that run beside, for example of batch norm.
      moving_averages: a `tf.train.ExponentialMovingAverage` over `averaged_variables`, updated after they are written.
      averaged_variables: what has a moving average.
      variables: where towers have copies of the variables: the gradients are applied to all of them, in one call of the
        optimizer, so that what it keeps for all variables together moves once.

    Raises:
      ArgumentError: `optimizer` is none, or `reduced` is not of `reduce_gradients`, or has several towers' gradients;
        `global_step` is no variable, `moving_averages` are none, or they have nothing to average.
    """
    _check(optimizer, reduced)
    check_global_step(global_step)
    if moving_averages is not None and not (hasattr(moving_averages, "apply") and len(averaged_variables)):
        raise ArgumentError(
            "moving_averages is {!r} over {} variables: give a tf.train.ExponentialMovingAverage, and its variables as "
            "averaged_variables, such as tf.trainable_variables()".format(moving_averages, len(averaged_variables))
        )
    if variables is not None:
        with slots_registered(variables):
            copies = to_every_copy(reduced, variables)
            return apply_reduced(optimizer, copies, global_step, update_ops, moving_averages, averaged_variables)
    pairs = pairs_of(reduced)
    if reduced.apply_if is None:
        with tf.control_dependencies(list(reduced.beside)):
            applied = optimizer.apply_gradients(pairs, global_step=global_step)
        counted = [applied]
    else:
        # What tf.cond makes waits for its condition alone, not for the control dependencies around it.
        with tf.control_dependencies(list(reduced.beside)):
            apply_if = tf.identity(reduced.apply_if)
        applied = _where(apply_if, lambda: optimizer.apply_gradients(pairs))
        # Without the gradients a step that applies nothing could be counted before they have read its number.
        with tf.control_dependencies([applied] + [gradient.op for gradient in _tensors(reduced)]):
            counted = [applied] if global_step is None else [applied, tf.assign_add(global_step, 1).op]
    averaged: List[Any] = []
    if moving_averages is not None:
        with tf.control_dependencies(counted):
            averaged = [average(moving_averages, averaged_variables, reduced.apply_if)]
    return tf.group(*(counted + list(reduced.beside) + list(update_ops) + averaged), name="train_op")


def apply_own(
    optimizer: Any,
    of_towers: Sequence[TowerGradients],
    variables: TowerVariables,
    global_step: Optional[Any] = None,
    update_ops: Sequence[Any] = (),
) -> Any:
    """Returns the train op of towers that each apply their own gradients to their own copies of the variables.

    Copies are written in one call of the optimizer, so that what it keeps for all variables together moves once. For
    the plain-named variables it makes slots, which `variables` then knows too, and applies nothing. What averages
    these over time, `average`, is to come when the copies have met.

    Args:
      optimizer: a `tf.train.Optimizer`.
      of_towers: each training tower's gradients, each of a reduction over this tower alone, by plain-named variables.
      variables: of the towers.
      global_step: incremented by 1; None counts nothing.
      update_ops: ops that run beside, of all towers.

    Raises:
      ArgumentError: there is no tower.
      TowerError: only some towers have a gradient for a variable that all share.
    """
    with slots_registered(variables):
        each = each_to_its_own(of_towers, variables)
        if variables.center:
            # Also of what only some towers have a gradient for, and leave as it is otherwise.
            rows = [row for gradients in of_towers for row in gradients.rows if row.gradients[0] is not None]
            plain = [variables.plain(row.variable) for row in rows if variables.group_of(row.variable)]
            make_center_slots(optimizer, list({id(variable): variable for variable in plain}.values()))
        return apply_reduced(optimizer, each, global_step, update_ops)


def average(moving_averages: Any, variables: Sequence[Any], apply_if: Optional[Any] = None) -> Any:
    """Returns the operation that moves the moving averages of `variables` towards what these hold now.

    Under the control dependencies of now, which are to be on all that writes the variables.

    Args:
      moving_averages: a `tf.train.ExponentialMovingAverage`.
      variables: what it averages.
      apply_if: a boolean scalar tensor: in which steps; None: in all.
    """
    if apply_if is None:
        return moving_averages.apply(list(variables))
    # What tf.cond makes waits for its condition alone, not for the control dependencies around it.
    return _where(tf.identity(apply_if), lambda: moving_averages.apply(list(variables)))


def _check(optimizer: Any, reduced: Any) -> None:
    if isinstance(optimizer, type) or not hasattr(optimizer, "apply_gradients"):
        raise ArgumentError(
            "optimizer is {!r}: give a tf.train.Optimizer, such as tf.train.AdamOptimizer(1e-3)".format(optimizer)
        )
    if not isinstance(reduced, TowerGradients):
        raise ArgumentError(
            "reduced is a {}, not what lt.reduce_gradients returns: apply a list of (gradient, variable) by "
            "optimizer.apply_gradients".format(type(reduced).__name__)
        )
    apart = [] if reduced.reduced else [row.name for row in reduced.rows if len(row.gradients) > 1]
    if apart:
        raise ArgumentError(
            "the gradients for {} are still one per tower: make them one by lt.reduce_gradients".format(quoted(apart))
        )


def _where(condition: Any, write: Callable[[], Any]) -> Any:
    """Returns what runs the operation that `write` makes where the condition holds, and else does nothing."""
    scope = tf.get_default_graph().get_name_scope()

    def guarded() -> Any:
        # Adam's beta powers and the like are named by the name scope: tf.cond's own would be part of their names.
        with tf.name_scope(scope + "/" if scope else ""):
            with tf.control_dependencies([write()]):
                return tf.no_op()

    return tf.cond(condition, guarded, tf.no_op)


def _tensors(reduced: TowerGradients) -> List[Any]:
    gradients = [row.gradients[0] for row in reduced.rows if row.gradients[0] is not None]
    return [each.values if isinstance(each, tf.IndexedSlices) else each for each in gradients]
