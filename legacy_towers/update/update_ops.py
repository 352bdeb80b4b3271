"""The towers' update ops (batch-norm statistics and the like): of the first tower, of all, or averaged."""
from typing import Any, List, Sequence

from legacy_towers.compat import tf
from legacy_towers.errors import ArgumentError, TowerError
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


def combine_update_ops(update_ops: Sequence[Sequence[Any]], policy: str) -> List[Any]:
    """Returns the update ops to run in each step.

    Args:
      update_ops: per tower, what it added to the collection UPDATE_OPS.
      policy: "first": tower 0's alone, so that statistics are those of tower 0's examples. "all": every tower's; they
        write the same variables in no fixed order, so runs differ in the last bits. "mean": each variable is written
        once, by the mean over the towers of what each would write; the same bits in every run.

    Raises:
      ArgumentError: an unknown policy.
      TowerError: under "mean", the towers' update ops differ, or one is no plain assignment; names it.
    """
    check_policy(policy)
    if policy == "first" or len(update_ops) == 1:
        return list(update_ops[0])
    if policy == "all":
        return [op for of_tower in update_ops for op in of_tower]
    counts = [len(of_tower) for of_tower in update_ops]
    if len(set(counts)) > 1:
        raise TowerError(
            'the towers have {} update ops: they can\'t be averaged one by one. Use update_ops="first" or "all"'.format(
                ", ".join(map(str, counts))
            )
        )
    with tf.name_scope("mean_update_ops"):
        return [_mean_assignment([_assignment(update) for update in updates]) for updates in zip(*update_ops)]


def _assignment(update: Any) -> Any:
    """Returns the assignment that an entry of UPDATE_OPS stands for: itself, or what its read comes after."""
    op = update if isinstance(update, tf.Operation) else update.op
    while op.type in ("Identity", "ReadVariableOp"):
        before = [control for control in op.control_inputs if control.type in _LINEAR_ASSIGNMENTS]
        if not before and op.type == "ReadVariableOp":
            break
        op = before[0] if before else op.inputs[0].op
    if op.type not in _LINEAR_ASSIGNMENTS:
        raise TowerError(
            "the update op {!r} ({}) is no assignment, so it can't be averaged over towers (batch norm whose "
            "`training` is a tensor decides in the graph: pass training=True). Otherwise use "
            'update_ops="first" or "all"'.format(op.name, op.type)
        )
    return op


def _mean_assignment(assignments: Sequence[Any]) -> Any:
    first = assignments[0]
    for other in assignments[1:]:
        if other.type != first.type or other.inputs[0] is not first.inputs[0]:
            raise TowerError(
                "the update ops {!r} and {!r} do not write the same variable in the same way: they can't be averaged. "
                'Use update_ops="first" or "all"'.format(first.name, other.name)
            )
    with tf.device(first.device):
        values = [assignment.inputs[1] for assignment in assignments]
        mean = tf.multiply(tf.add_n(values), tf.constant(1.0 / len(values), values[0].dtype))
        # A copy of tower 0's assignment with another value; an op without outputs needs no dtypes.
        copy = first.graph.create_op(
            first.type,
            [first.inputs[0], mean],
            [output.dtype for output in first.outputs],
            name=first.inputs[0].op.name + "/assign_mean",
            attrs=dict(first.node_def.attr),
        )
    return copy
