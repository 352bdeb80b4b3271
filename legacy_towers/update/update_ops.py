"""The towers' update ops, such as those of batch norm: the first tower's, all, their mean, or each tower's own."""
from typing import List, Optional, Sequence

from legacy_towers.cluster.workers import Workers
from legacy_towers.compat import tf
from legacy_towers.errors import ArgumentError, TowerError
from legacy_towers.gradients.tower_weights import weighted_mean
from legacy_towers.graph.op_kinds import ASSIGN_OPS
from legacy_towers.tensor_types import Operation, Tensor
from legacy_towers.text.names import quoted
from legacy_towers.variables import Strategy
from legacy_towers.variables.tower_variables import TowerVariables

UPDATE_OPS_POLICIES = ("first", "all", "mean", "own")


def check_policy(policy: str) -> None:
    """Raises ArgumentError unless `policy` is one of UPDATE_OPS_POLICIES."""
    if policy not in UPDATE_OPS_POLICIES:
        raise ArgumentError("update_ops is {!r}: allowed are {}".format(policy, quoted(UPDATE_OPS_POLICIES)))


def chosen_policy(policy: Optional[str], strategy: Strategy) -> str:
    """Returns the policy for update ops, with the strategy's default filled in.

    Args:
      policy: one of UPDATE_OPS_POLICIES; None: "first", or "own" where each tower applies its own gradients.

    Raises:
      ArgumentError: the policy is unknown, or impossible with this strategy.
    """
    towers_apply_own = strategy.updates != "reduced"
    if policy is None:
        return "own" if towers_apply_own else "first"
    check_policy(policy)
    if towers_apply_own and policy != "own":
        raise ArgumentError(
            "update_ops={!r} with {!r}: each tower updates its variables on its own, and its statistics too. "
            'Leave update_ops out, or give "own"'.format(policy, strategy)
        )
    if not towers_apply_own and policy == "own":
        raise ArgumentError(
            'update_ops="own" with {!r}: the towers\' variables are updated together. Use "first" or "mean"'.format(
                strategy
            )
        )
    if strategy.copies and policy == "all":
        raise ArgumentError(
            'update_ops="all" with {!r}: each tower would write its own copy of the statistics, and the copies, '
            'which must be equal, would differ. Use "mean" or "first"'.format(strategy)
        )
    return policy


def combine_update_ops(
    update_ops: Sequence[Sequence[Operation]],
    policy: str,
    tower_weights: Optional[Sequence[Tensor]] = None,
    after: Sequence[Tensor] = (),
    variables: Optional[TowerVariables] = None,
    apply_if: Optional[Tensor] = None,
    workers: Optional[Workers] = None,
) -> List[Operation]:
    """Returns the update ops to run in each step.

    Args:
      update_ops: per tower, what it added to the collection UPDATE_OPS.
      policy: "first": tower 0's alone, so that statistics are those of tower 0's examples. "all": every tower's; they
        write the same variables in no fixed order, so runs differ in the last bits. "mean": each variable is written
        once, with the mean of the values that the towers would write; the same bits in every run. "own": every
        tower's, where each has its own variables. See `chosen_policy`.
      tower_weights: the towers' weights, scalar tensors that sum to 1: in "mean", of the values; in "all" and "own", a
        tower of weight 0 does not write. None: all weigh the same.
      after: tensors that must be computed before anything is written, such as a validation loss.
      variables: where towers have copies of the variables: in "first" and "mean" the value is written into every copy,
        including those of towers that validate.
      apply_if: bool scalar tensor: whether this step writes anything; None: each step does.
      workers: the workers of a cluster, of whose towers these are one's: all write the same values, in "first" those of
        the chief's tower 0, in "mean" the mean over all towers. None for one process.

    Raises:
      ArgumentError: the policy is unknown, or it is "all" where towers have copies.
      TowerError: in "mean" the towers' update ops differ; or an update op is not an assignment where it must be copied:
        in "mean", in "all" or "own" with weights, with `after`, or with copies. The message names it.
    """
    check_policy(policy)
    with tf.control_dependencies(list(after)):
        combined = _combined(update_ops, policy, tower_weights, bool(after), variables, apply_if, workers)
    if apply_if is None or _is_guarded(policy, tower_weights, update_ops):
        return combined
    with tf.name_scope("applied_update_ops"):
        return [
            _guarded(_assignment(op, "skipped in a step that is not finite", "plain assignments"), apply_if)
            for op in combined
        ]


def _is_guarded(
    policy: str, tower_weights: Optional[Sequence[Tensor]], update_ops: Sequence[Sequence[Operation]]
) -> bool:
    """Returns whether each tower's update ops run under a condition of their own."""
    return policy in ("all", "own") and tower_weights is not None and len(update_ops) > 1


def _combined(
    update_ops: Sequence[Sequence[Operation]],
    policy: str,
    tower_weights: Optional[Sequence[Tensor]],
    waits: bool,
    variables: Optional[TowerVariables],
    apply_if: Optional[Tensor],
    workers: Optional[Workers],
) -> List[Operation]:
    if policy == "all" and variables is not None:
        for op in update_ops[0]:
            _check_shared(op, variables)
    if policy in ("all", "own"):
        if tower_weights is None or not _is_guarded(policy, tower_weights, update_ops):
            return [_repeated(op) if waits else op for of_tower in update_ops for op in of_tower]
        with tf.name_scope("guarded_update_ops"):
            return [
                _guarded(
                    _assignment(op, "skipped in a tower without examples", 'update_ops="first"'),
                    tf.greater(tower_weight, 0) if apply_if is None else tf.logical_and(
                        tf.greater(tower_weight, 0), apply_if
                    ),
                )
                for of_tower, tower_weight in zip(update_ops, tower_weights)
                for op in of_tower
            ]
    if policy == "first" or len(update_ops) == 1 and workers is None:
        return [new for op in update_ops[0] for new in _in_every_copy(op, waits, variables, workers)]
    counts = [len(of_tower) for of_tower in update_ops]
    remedy = _remedy(variables)
    if len(set(counts)) > 1:
        raise TowerError(
            "the towers have {} update ops: they can't be averaged pair by pair. Use {}".format(
                ", ".join(map(str, counts)), remedy
            )
        )
    with tf.name_scope("mean_update_ops"):
        return [
            new
            for updates in zip(*update_ops)
            for new in _mean_assignments(
                [_assignment(update, "averaged over towers", remedy) for update in updates], tower_weights, variables,
                workers,
            )
        ]


def _check_shared(update: Operation, variables: TowerVariables) -> None:
    name = written_variable(update)
    if name is not None and variables.group_of_name(name) is not None:
        raise ArgumentError(
            'update_ops="all" where each tower has a copy of {!r}: each would write its own, and the copies, which '
            'must be equal, would differ. Use "mean" or "first"'.format(name)
        )


def _in_every_copy(
    update: Operation, waits: bool, variables: Optional[TowerVariables], workers: Optional[Workers]
) -> List[Operation]:
    """Returns ops that write the value of `update` into each tower's copy; `update` where the variable is shared.

    With several workers it is the value of the chief.
    """
    if workers is not None:
        assignment = _assignment(update, "repeated by every worker", "plain assignments")
        name = "update_ops/{}".format(assignment.inputs[0].op.name)
        value = workers.chief_value_to_assign(assignment.inputs[1], name)
        with tf.name_scope("update_every_copy"):
            return _copies(assignment, value, _targets(assignment, variables), "assign_first")
    if variables is not None and variables.copied():
        assignment = _assignment(update, "repeated for every tower's copy", "plain assignments")
        targets = _targets(assignment, variables)
        if len(targets) > 1:
            with tf.name_scope("update_every_copy"):
                return _copies(assignment, assignment.inputs[1], targets, "assign_first")
    return [_repeated(update) if waits else update]


def _targets(assignment: Operation, variables: Optional[TowerVariables]) -> List[Tensor]:
    """Returns the first inputs of assignments to write: of this one, or, for a copied variable, one per copy."""
    group = None if variables is None else variables.group_of(assignment.inputs[0].op)
    if group is None:
        return [assignment.inputs[0]]
    return [group.copies[tower].op.outputs[0] for tower in sorted(group.copies)]


def _copies(assignment: Operation, value: Tensor, targets: Sequence[Tensor], name: str) -> List[Operation]:
    copies = []
    for target in targets:
        with tf.device(target.op.device):
            copies.append(_copy(assignment, value, "{}/{}".format(target.op.name, name), target))
    return copies


def written_variable(update: Operation) -> Optional[str]:
    """Returns the name of the variable that an entry of UPDATE_OPS assigns to; None if it is not an assignment."""
    try:
        return str(_assignment(update, "matched with a variable", "plain assignments").inputs[0].op.name)
    except TowerError:
        return None


def _assignment(update: Operation, purpose: str, remedy: str) -> Operation:
    """Returns the assignment of an entry of UPDATE_OPS: the entry itself, or the op that its read depends on.

    Raises:
      TowerError: there is none; the message names `purpose`, what it is needed for, and `remedy`.
    """
    op = update if isinstance(update, tf.Operation) else update.op
    while op.type in ("Identity", "ReadVariableOp"):
        before = [control for control in op.control_inputs if control.type in ASSIGN_OPS]
        if not before and op.type == "ReadVariableOp":
            break
        op = before[0] if before else op.inputs[0].op
    if op.type not in ASSIGN_OPS:
        raise TowerError(
            "the update op {!r} ({}) is not an assignment, so it can't be {} (batch norm whose `training` is a tensor "
            "decides in the graph: pass training=True). Otherwise use {}".format(
                op.name,
                op.type,
                purpose,
                remedy,
            )
        )
    return op


def _mean_assignments(
    assignments: Sequence[Operation], tower_weights: Optional[Sequence[Tensor]], variables: Optional[TowerVariables],
    workers: Optional[Workers],
) -> List[Operation]:
    first = assignments[0]
    targets = _targets(first, variables)
    for other in assignments[1:]:
        if other.type != first.type or all(other.inputs[0].op is not target.op for target in targets):
            raise TowerError(
                "the update ops {!r} and {!r} do not write the same variable in the same way: they can't be averaged. "
                "Use {}".format(first.name, other.name, _remedy(variables))
            )
    with tf.device(first.device):
        mean = weighted_mean([assignment.inputs[1] for assignment in assignments], tower_weights)
    if workers is not None:
        mean = workers.combined(mean, tower_weights is not None, "update_ops/{}".format(first.inputs[0].op.name))
    return _copies(first, mean, targets, "assign_mean")


def _remedy(variables: Optional[TowerVariables]) -> str:
    """Returns the policies to recommend where the towers' update ops can't be averaged."""
    return 'update_ops="first"' + ("" if variables is not None else ' or "all"')


def _repeated(update: Operation) -> Operation:
    """Returns an op that does what `update` does, under the current control dependencies."""
    assignment = _assignment(update, "delayed until validating towers have read the variables", "plain assignments")
    with tf.device(assignment.device):
        return _copy(assignment, assignment.inputs[1], assignment.inputs[0].op.name + "/assign_later")


def _guarded(assignment: Operation, condition: Tensor) -> Operation:
    """Returns an op that does what `assignment` does where `condition` holds."""

    def write() -> Operation:
        with tf.control_dependencies([_copy(assignment, assignment.inputs[1], "write")]):
            return tf.no_op()

    with tf.device(assignment.device):
        return tf.cond(condition, write, tf.no_op)


def _copy(assignment: Operation, value: Tensor, name: str, target: Optional[Tensor] = None) -> Operation:
    """Returns an assignment of the same type as `assignment`, of another value, to `target` if one is given."""
    attributes = dict(assignment.node_def.attr)
    if target is not None:
        # This attribute colocates the assignment with the variable that it wrote before.
        attributes.pop("_class", None)
    # Not in assignment.graph: where tf.cond builds functions, an op of the outer graph would always run.
    return tf.get_default_graph().create_op(
        assignment.type,
        [assignment.inputs[0] if target is None else target, value],
        # An op without outputs has no dtypes.
        [output.dtype for output in assignment.outputs],
        name=name,
        attrs=attributes,
    )
