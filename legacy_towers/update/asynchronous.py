"""One update per tower, each applied by itself to the variables that all towers share.

    tower k:   read the step -> read the variables -> loss, gradients -> | wait for the turn -> apply -> count | -> next
                                                                           one tower at a time

Without turns updates would get lost: two towers that write the same rows of an embedding, or multiply Adam's powers of
beta, each start from what they read. The gradients are computed before a tower waits for its turn, so that it holds the
others up for the time of the writing alone.
"""
from typing import Any, List, NamedTuple, Optional, Sequence, Tuple

from legacy_towers.compat import tf
from legacy_towers.compat.graph import run_after
from legacy_towers.errors import ArgumentError
from legacy_towers.gradients.base import TowerGradients
from legacy_towers.graph_walk import ancestors
from legacy_towers.names import tower_scope
from legacy_towers.update.apply import apply_reduced
from legacy_towers.update.asynchronous_towers import AsynchronousTowers


class TowerUpdate(NamedTuple):
    """What one tower applies.

    Attributes:
      tower: its index.
      gradients: (optimizer, the gradients that it applies) for each part of the step; one pair where it has one part.
        The gradients are this tower's alone, through the chain of reductions with one tower.
      update_ops: the tower's own update ops, such as those of batch norm.
    """

    tower: int
    gradients: Sequence[Tuple[Any, TowerGradients]]
    update_ops: Sequence[Any] = ()


class AsynchronousUpdates(NamedTuple):
    """What `asynchronous_updates` gives.

    Attributes:
      train_ops: per tower, the operation of one update: its own batch, its own gradients, the global step plus 1.
      staleness: per tower, an int64 scalar tensor: how many updates of other towers were completed between this tower's
        reading of the variables and its applying. Only in the same run as the train op it is that update's.
        (Where a reduction hands on gradients of earlier runs, as `deferred` and `accumulate` do, these are older.)
      hook: runs all towers but the first one beside the caller's loop; the first train op is the loop's.
    """

    train_ops: List[Any]
    staleness: List[Any]
    hook: AsynchronousTowers


def asynchronous_updates(
    updates: Sequence[TowerUpdate],
    global_step: Any,
    device: str,
    moving_averages: Optional[Any] = None,
    averaged_variables: Sequence[Any] = (),
) -> AsynchronousUpdates:
    """Makes one train op per tower, in the default graph, before a session has run any of it.

    The step that a tower begins at is read before any variable that its gradients need. An update that is being written
    just then counts as one that the tower did not see, though it may see a part of it.

    Args:
      updates: what each tower applies.
      global_step: the global step variable: each update adds 1 to it.
      device: a CPU of the host, where towers wait for their turn.
      moving_averages: a `tf.train.ExponentialMovingAverage` over `averaged_variables`, updated by every tower.
      averaged_variables: what has a moving average.

    Raises:
      ArgumentError: a variable is of TF1's old kind, whose reads nothing orders; names it.
    """
    for update in updates:
        _check_kind(update)
    with tf.device(device):
        turn = tf.raw_ops.MutexV2(container="", shared_name=tf.get_default_graph().unique_name("turn_to_apply"))
    train_ops, staleness = [], []
    for update in updates:
        began = _step_before_reading(update, global_step)
        train_op, late = _in_turn(update, turn, began, global_step, device, moving_averages, averaged_variables)
        train_ops.append(train_op)
        staleness.append(late)
    hook = AsynchronousTowers(train_ops, staleness, [update.tower for update in updates], global_step)
    return AsynchronousUpdates(train_ops, staleness, hook)


def _in_turn(
    update: TowerUpdate,
    turn: Any,
    began: Any,
    global_step: Any,
    device: str,
    moving_averages: Optional[Any],
    averaged_variables: Sequence[Any],
) -> Tuple[Any, Any]:
    """Returns the train op of one tower, and its staleness."""
    ready = _gradients_of(update)
    for _, reduced in update.gradients:
        ready = ready + list(reduced.beside) + ([] if reduced.apply_if is None else [reduced.apply_if])
    scope = "asynchronous/" + tower_scope(update.tower)
    with tf.device(device), tf.name_scope(scope), tf.control_dependencies(ready + [began]):
        # The turn lasts as long as this value; a run that fails gives it back too.
        mine = tf.raw_ops.MutexLock(mutex=turn)
    # In the caller's name scope: Adam's beta powers and the like are named by it.
    with tf.control_dependencies([mine]):
        applied = _applied(update, global_step, moving_averages, averaged_variables)
    with tf.name_scope(scope):
        with tf.control_dependencies([applied]):
            reached = global_step.read_value()
            late = tf.subtract(reached, began + 1, name="staleness")
        with tf.device(device), tf.control_dependencies([late]):
            done = tf.raw_ops.ConsumeMutexLock(mutex_lock=mine)
        return tf.group(done, *update.update_ops, name="train_op"), late


def _applied(
    update: TowerUpdate, global_step: Any, moving_averages: Optional[Any], averaged_variables: Sequence[Any]
) -> Any:
    if len(update.gradients) == 1:
        optimizer, reduced = update.gradients[0]
        return apply_reduced(
            optimizer, reduced, global_step, moving_averages=moving_averages, averaged_variables=averaged_variables
        )
    parts = [apply_reduced(optimizer, reduced) for optimizer, reduced in update.gradients]
    with tf.control_dependencies(parts):
        counted = tf.assign_add(global_step, 1).op
    if moving_averages is None:
        return counted
    with tf.control_dependencies([counted]):
        return moving_averages.apply(list(averaged_variables))


def _step_before_reading(update: TowerUpdate, global_step: Any) -> Any:
    """Returns the global step, read in each run before anything reads a variable that the tower's gradients need."""
    with tf.control_dependencies(None), tf.name_scope("asynchronous/" + tower_scope(update.tower)):
        began = tf.identity(global_step.read_value(), name="began_at_step")
    own = ancestors([began])
    for operation in ancestors(_gradients_of(update)) - own:
        # All that is done with a variable begins with its handle, also inside of a loop or a function.
        if any(tensor.op.type == "VarHandleOp" for tensor in operation.inputs):
            run_after(operation, began.op)
    return began


def _gradients_of(update: TowerUpdate) -> List[Any]:
    tensors = []
    for _, reduced in update.gradients:
        for row in reduced.rows:
            gradient = row.gradients[0]
            if isinstance(gradient, tf.IndexedSlices):
                tensors.extend([gradient.values, gradient.indices])
            elif gradient is not None:
                tensors.append(gradient)
    return tensors


def _check_kind(update: TowerUpdate) -> None:
    for _, reduced in update.gradients:
        for row in reduced.rows:
            if row.variable is not None and row.variable.op.type != "VarHandleOp":
                raise ArgumentError(
                    "the variable {!r} is of TF1's old kind (ref), whose reads nothing keeps apart from what another "
                    "tower writes meanwhile: towers that train asynchronously need variable_kind='resource'".format(
                        row.variable.op.name
                    )
                )
