"""The towers' update ops (batch-norm statistics and the like): of the first tower, of all, or averaged."""
from typing import Any, List, Optional, Sequence

from legacy_towers.compat import tf
from legacy_towers.errors import ArgumentError, TowerError
from legacy_towers.gradients.shares import weighted_mean
from legacy_towers.names import quoted

UPDATE_OPS_POLICIES = ("first", "all", "mean")

# Assignments that are linear in the value they write, so that writing the mean of N values is the mean of N writes.
_LINEAR_ASSIGNMENTS = frozenset(
    ["Assign", "AssignAdd", "AssignSub", "AssignVariableOp", "AssignAddVariableOp", "AssignSubVariableOp"]
)


def check_policy(policy: str) -> None:
    """Raises ArgumentError if there is no such policy for update ops."""
    if policy not in UPDATE_OPS_POLICIES:
        raise ArgumentError("update_ops is {!r}: allowed are {}".format(policy, quoted(UPDATE_OPS_POLICIES)))


def combine_update_ops(
    update_ops: Sequence[Sequence[Any]],
    policy: str,
    shares: Optional[Sequence[Any]] = None,
    after: Sequence[Any] = (),
) -> List[Any]:
    """Returns the update ops to run in each step.

    Args:
      update_ops: per tower, what it added to the collection UPDATE_OPS.
      policy: "first": tower 0's alone, so that statistics are those of tower 0's examples. "all": every tower's; they
        write the same variables in no fixed order, so runs differ in the last bits. "mean": each variable is written
        once, by the mean over the towers of what each would write; the same bits in every run.
      shares: what each tower counts, scalar tensors as `tower_shares` gives them: under "mean" its weight; under "all"
        a tower whose share turns out to be 0 does not write. None: all the same.
      after: tensors that must be computed before anything is written, such as a validation loss.

    Raises:
      ArgumentError: an unknown policy.
      TowerError: under "mean" the towers' update ops differ; under "mean", under "all" with shares, or where writing
        must wait, one is no plain assignment; names it.
    """
    check_policy(policy)
    with tf.control_dependencies(list(after)):
        return _combined(update_ops, policy, shares, waits=bool(after))


def _combined(
    update_ops: Sequence[Sequence[Any]], policy: str, shares: Optional[Sequence[Any]], waits: bool
) -> List[Any]:
    if policy == "first" or len(update_ops) == 1:
        return [_again(op) if waits else op for op in update_ops[0]]
    if policy == "all":
        if shares is None:
            return [_again(op) if waits else op for of_tower in update_ops for op in of_tower]
        with tf.name_scope("guarded_update_ops"):
            return [
                _guarded(_assignment(op, "held back in a tower without examples", 'update_ops="first"'), share)
                for of_tower, share in zip(update_ops, shares)
                for op in of_tower
            ]
    counts = [len(of_tower) for of_tower in update_ops]
    if len(set(counts)) > 1:
        raise TowerError(
            'the towers have {} update ops: they can\'t be averaged one by one. Use update_ops="first" or "all"'.format(
                ", ".join(map(str, counts))
            )
        )
    remedy = 'update_ops="first" or "all"'
    with tf.name_scope("mean_update_ops"):
        return [
            _mean_assignment([_assignment(update, "averaged over towers", remedy) for update in updates], shares)
            for updates in zip(*update_ops)
        ]


def written_variable(update: Any) -> Optional[str]:
    """Returns the name of the variable that an entry of UPDATE_OPS assigns to; None where it is no plain assignment."""
    try:
        return str(_assignment(update, "told apart", "plain assignments").inputs[0].op.name)
    except TowerError:
        return None


def _assignment(update: Any, purpose: str, remedy: str) -> Any:
    """Returns the assignment that an entry of UPDATE_OPS stands for: itself, or what its read comes after."""
    op = update if isinstance(update, tf.Operation) else update.op
    while op.type in ("Identity", "ReadVariableOp"):
        before = [control for control in op.control_inputs if control.type in _LINEAR_ASSIGNMENTS]
        if not before and op.type == "ReadVariableOp":
            break
        op = before[0] if before else op.inputs[0].op
    if op.type not in _LINEAR_ASSIGNMENTS:
        raise TowerError(
            "the update op {!r} ({}) is no assignment, so it can't be {} (batch norm whose `training` is a tensor "
            "decides in the graph: pass training=True). Otherwise use {}".format(
                op.name,
                op.type,
                purpose,
                remedy,
            )
        )
    return op


def _mean_assignment(assignments: Sequence[Any], shares: Optional[Sequence[Any]]) -> Any:
    first = assignments[0]
    for other in assignments[1:]:
        if other.type != first.type or other.inputs[0] is not first.inputs[0]:
            raise TowerError(
                "the update ops {!r} and {!r} do not write the same variable in the same way: they can't be averaged. "
                'Use update_ops="first" or "all"'.format(first.name, other.name)
            )
    with tf.device(first.device):
        mean = weighted_mean([assignment.inputs[1] for assignment in assignments], shares)
        return _copy(first, mean, first.inputs[0].op.name + "/assign_mean")


def _again(update: Any) -> Any:
    """Returns an op that does what `update` does, under the control dependencies of now."""
    assignment = _assignment(update, "held back until the towers that validate have read", "plain assignments")
    with tf.device(assignment.device):
        return _copy(assignment, assignment.inputs[1], assignment.inputs[0].op.name + "/assign_later")


def _guarded(assignment: Any, share: Any) -> Any:
    """Returns an op that does what `assignment` does, where `share` is more than 0."""

    def write() -> Any:
        with tf.control_dependencies([_copy(assignment, assignment.inputs[1], "write")]):
            return tf.no_op()

    with tf.device(assignment.device):
        return tf.cond(tf.greater(share, 0), write, tf.no_op)


def _copy(assignment: Any, value: Any, name: str) -> Any:
    """Returns an assignment like `assignment` of another value; an op without outputs needs no dtypes."""
    # Not in assignment.graph: where tf.cond makes functions, an op of the outer graph would always run.
    return tf.get_default_graph().create_op(
        assignment.type,
        [assignment.inputs[0], value],
        [output.dtype for output in assignment.outputs],
        name=name,
        attrs=dict(assignment.node_def.attr),
    )
