"""One train op per tower, each of which applies this tower's gradients to the variables that all towers share.

    tower k:   read the step -> read the variables -> loss, gradients -> | lock -> apply -> count -> unlock | -> next
                                                                           one tower at a time

Without the lock, updates would be lost: two towers that write the same rows of an embedding, or multiply Adam's beta
powers, would each start from the values that they read. A tower computes its gradients before it waits for the lock, so
that other towers wait only while it writes.
"""
from typing import Any, List, NamedTuple, Optional, Sequence, Tuple

from legacy_towers.cluster.parameter_servers import is_on_server
from legacy_towers.compat import tf
from legacy_towers.compat.versions.graph import run_after
from legacy_towers.errors import ArgumentError
from legacy_towers.gradients.base import TowerGradients
from legacy_towers.graph.walk import ancestors
from legacy_towers.tensor_types import DeviceString, Operation, Optimizer, Tensor, Variable
from legacy_towers.text.names import tower_scope
from legacy_towers.update.apply import apply_reduced
from legacy_towers.update.asynchronous_towers import AsynchronousTowers


class TowerUpdate(NamedTuple):
    """The update of one tower.

    Attributes:
      tower: the tower's index.
      gradients: (optimizer, the gradients that it applies) for each objective. The gradients are this tower's alone,
        passed through a reduction over one tower.
      update_ops: the tower's own update ops, such as those of batch norm.
    """

    tower: int
    gradients: Sequence[Tuple[Optimizer, TowerGradients]]
    update_ops: Sequence[Operation] = ()


class AsynchronousUpdates(NamedTuple):
    """What `asynchronous_updates` returns.

    Attributes:
      train_ops: per tower, the operation of one update: its own batch, its own gradients, the global step plus 1.
      staleness: per tower, an int64 scalar tensor: how many updates of other towers were completed between this tower's
        reading of the variables and its own update. To be fetched in the same run as the train op. (Where a reduction
        applies gradients of earlier runs, as `delayed` and `accumulate` do, these are older.)
      hook: runs all towers but the first in threads; the first train op is run by the caller's loop.
    """

    train_ops: List[Operation]
    staleness: List[Tensor]
    hook: AsynchronousTowers


def asynchronous_updates(
    updates: Sequence[TowerUpdate],
    global_step: Variable,
    device: DeviceString,
    moving_averages: Optional[Any] = None,
    averaged_variables: Sequence[Variable] = (),
) -> AsynchronousUpdates:
    """Creates one train op per tower in the default graph; to be called before a session has run it.

    A run reads the global step before any variable that its gradients need. An update that is written at the same time
    counts as one that the tower missed, though the tower may read some variables after it.

    Args:
      global_step: the global step variable: each update adds 1 to it.
      device: a CPU of the host, where the lock is.
      moving_averages: a `tf.train.ExponentialMovingAverage` over `averaged_variables`, updated by every tower.

    Raises:
      ArgumentError: a variable is a ref variable, whose reads nothing orders; the message names it.
    """
    for update in updates:
        _check_kind(update)
    with tf.device(device):
        mutex = tf.raw_ops.MutexV2(container="", shared_name=tf.get_default_graph().unique_name("turn_to_apply"))
    train_ops, staleness = [], []
    for update in updates:
        began = _step_before_reading(update, global_step)
        train_op, late = _locked_update(update, mutex, began, global_step, device, moving_averages, averaged_variables)
        train_ops.append(train_op)
        staleness.append(late)
    hook = AsynchronousTowers(train_ops, staleness, [update.tower for update in updates], global_step)
    return AsynchronousUpdates(train_ops, staleness, hook)


def _locked_update(
    update: TowerUpdate,
    mutex: Tensor,
    began: Tensor,
    global_step: Variable,
    device: DeviceString,
    moving_averages: Optional[Any],
    averaged_variables: Sequence[Variable],
) -> Tuple[Operation, Tensor]:
    """Returns the train op of one tower, and its staleness."""
    ready = _gradients_of(update)
    for _, reduced in update.gradients:
        ready = ready + list(reduced.unconditional_ops) + ([] if reduced.apply_if is None else [reduced.apply_if])
    scope = "asynchronous/" + tower_scope(update.tower)
    with tf.device(device), tf.name_scope(scope), tf.control_dependencies(ready + [began]):
        # The mutex is locked as long as this value exists; a run that fails unlocks it too.
        lock = tf.raw_ops.MutexLock(mutex=mutex)
    # In the caller's name scope, by which Adam's beta powers are named. If the lock is on a parameter server, the
    # optimizer's constants are too: those of the worker would cross the network while it is held.
    with tf.device(device if is_on_server(device) else ""), tf.control_dependencies([lock]):
        applied = _apply(update, global_step, moving_averages, averaged_variables)
    with tf.name_scope(scope):
        with tf.device(global_step.device), tf.control_dependencies([applied]):
            reached = global_step.read_value()
            late = tf.subtract(reached, began + 1, name="staleness")
        with tf.device(device), tf.control_dependencies([late]):
            done = tf.raw_ops.ConsumeMutexLock(mutex_lock=lock)
        return tf.group(done, *update.update_ops, name="train_op"), late


def _apply(
    update: TowerUpdate, global_step: Variable, moving_averages: Optional[Any], averaged_variables: Sequence[Variable]
) -> Operation:
    if len(update.gradients) == 1:
        optimizer, reduced = update.gradients[0]
        return apply_reduced(
            optimizer, reduced, global_step, moving_averages=moving_averages, averaged_variables=averaged_variables
        )
    applied = [apply_reduced(optimizer, reduced) for optimizer, reduced in update.gradients]
    with tf.control_dependencies(applied):
        counted = tf.assign_add(global_step, 1).op
    if moving_averages is None:
        return counted
    with tf.control_dependencies([counted]):
        return moving_averages.apply(list(averaged_variables))


def _step_before_reading(update: TowerUpdate, global_step: Variable) -> Tensor:
    """Returns the global step, read in each run before any variable that the tower's gradients need."""
    scope = "asynchronous/" + tower_scope(update.tower)
    # Where the counter is: a worker that waits for it reads the variables later by twice the latency of the network.
    with tf.control_dependencies(None), tf.device(global_step.device), tf.name_scope(scope):
        began = tf.identity(global_step.read_value(), name="began_at_step")
    own = ancestors([began])
    for operation in ancestors(_gradients_of(update)) - own:
        # Every use of a variable, also inside a loop or a function, starts from its handle.
        if any(tensor.op.type == "VarHandleOp" for tensor in operation.inputs):
            run_after(operation, began.op)
    return began


def _gradients_of(update: TowerUpdate) -> List[Tensor]:
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
                    "the variable {!r} is a ref variable (TF1's old kind), whose reads can race with another tower's "
                    "writes: towers that train asynchronously need use_resource=True".format(
                        row.variable.op.name
                    )
                )
