"""The towers' update ops (batch-norm statistics and the like): of the first tower, all, averaged, or each its own."""
from typing import Any, List, Optional, Sequence

from legacy_towers.compat import tf
from legacy_towers.errors import ArgumentError, TowerError
from legacy_towers.gradients.shares import weighted_mean
from legacy_towers.names import quoted
from legacy_towers.variables import Strategy
from legacy_towers.variables.copies import TowerVariables

UPDATE_OPS_POLICIES = ("first", "all", "mean", "own")

# Assignments that are linear in the value they write, so that writing the mean of N values is the mean of N writes.
_LINEAR_ASSIGNMENTS = frozenset(
    ["Assign", "AssignAdd", "AssignSub", "AssignVariableOp", "AssignAddVariableOp", "AssignSubVariableOp"]
)


def check_policy(policy: str) -> None:
    """Raises ArgumentError if there is no such policy for update ops."""
    if policy not in UPDATE_OPS_POLICIES:
        raise ArgumentError("update_ops is {!r}: allowed are {}".format(policy, quoted(UPDATE_OPS_POLICIES)))


def chosen_policy(policy: Optional[str], strategy: Strategy) -> str:
    """Returns the policy for the update ops of towers whose variables live as `strategy` says.

    Args:
      policy: what was asked for; None: "first", or "own" where each tower updates its variables on its own.
      strategy: the strategy.

    Raises:
      ArgumentError: an unknown policy, or one that this strategy can't have.
    """
    apart = strategy.updates != "reduced"
    if policy is None:
        return "own" if apart else "first"
    check_policy(policy)
    if apart and policy != "own":
        raise ArgumentError(
            "update_ops={!r} with {!r}: each tower updates its variables on its own, and its statistics too. "
            'Leave update_ops out, or give "own"'.format(policy, strategy)
        )
    if not apart and policy == "own":
        raise ArgumentError(
            'update_ops="own" with {!r}: the towers\' variables are updated together. Take "first" or "mean"'.format(
                strategy
            )
        )
    if strategy.copies and policy == "all":
        raise ArgumentError(
            'update_ops="all" with {!r}: each tower would write its own copy of the statistics, and copies that are to '
            'be equal would drift apart. Take "mean" or "first"'.format(strategy)
        )
    return policy


def combine_update_ops(
    update_ops: Sequence[Sequence[Any]],
    policy: str,
    shares: Optional[Sequence[Any]] = None,
    after: Sequence[Any] = (),
    variables: Optional[TowerVariables] = None,
) -> List[Any]:
    """Returns the update ops to run in each step.

    Args:
      update_ops: per tower, what it added to the collection UPDATE_OPS.
      policy: "first": tower 0's alone, so that statistics are those of tower 0's examples. "all": every tower's; they
        write the same variables in no fixed order, so runs differ in the last bits. "mean": each variable is written
        once, by the mean over the towers of what each would write; the same bits in every run. "own": every tower's,
        where each has variables of its own. See `chosen_policy`.
      shares: what each tower counts, scalar tensors as `tower_shares` gives them: under "mean" its weight; under "all"
        and "own" a tower whose share turns out to be 0 does not write. None: all the same.
      after: tensors that must be computed before anything is written, such as a validation loss.
      variables: where towers have copies of the variables: under "first" and "mean" the one value is written into every
        copy, those of towers that validate included.

    Raises:
      ArgumentError: an unknown policy, or "all" where towers have copies.
      TowerError: under "mean" the towers' update ops differ; or one is no plain assignment, and "mean" is asked for,
        "all" or "own" with shares, writing must wait, or there are copies; names it.
    """
    check_policy(policy)
    with tf.control_dependencies(list(after)):
        return _combined(update_ops, policy, shares, bool(after), variables)


def _combined(
    update_ops: Sequence[Sequence[Any]],
    policy: str,
    shares: Optional[Sequence[Any]],
    waits: bool,
    variables: Optional[TowerVariables],
) -> List[Any]:
    if policy == "all" and variables is not None:
        for op in update_ops[0]:
            _check_shared(op, variables)
    if policy in ("all", "own"):
        if shares is None or len(update_ops) == 1:
            return [_again(op) if waits else op for of_tower in update_ops for op in of_tower]
        with tf.name_scope("guarded_update_ops"):
            return [
                _guarded(_assignment(op, "held back in a tower without examples", 'update_ops="first"'), share)
                for of_tower, share in zip(update_ops, shares)
                for op in of_tower
            ]
    if policy == "first" or len(update_ops) == 1:
        return [new for op in update_ops[0] for new in _in_every_copy(op, waits, variables)]
    counts = [len(of_tower) for of_tower in update_ops]
    remedy = _remedy(variables)
    if len(set(counts)) > 1:
        raise TowerError(
            "the towers have {} update ops: they can't be averaged one by one. Use {}".format(
                ", ".join(map(str, counts)), remedy
            )
        )
    with tf.name_scope("mean_update_ops"):
        return [
            new
            for updates in zip(*update_ops)
            for new in _mean_assignments(
                [_assignment(update, "averaged over towers", remedy) for update in updates], shares, variables
            )
        ]


def _check_shared(update: Any, variables: TowerVariables) -> None:
    name = written_variable(update)
    if name is not None and variables.group_of_name(name) is not None:
        raise ArgumentError(
            'update_ops="all" where each tower has a copy of {!r}: each would write its own, and copies that are to be '
            'equal would drift apart. Take "mean" or "first"'.format(name)
        )


def _in_every_copy(update: Any, waits: bool, variables: Optional[TowerVariables]) -> List[Any]:
    """Returns ops that do to each tower's copy what `update` does to its own; `update` where the variable is shared."""
    if variables is not None and variables.copied():
        assignment = _assignment(update, "done to every tower's copy", "plain assignments")
        targets = _targets(assignment, variables)
        if len(targets) > 1:
            with tf.name_scope("update_every_copy"):
                return _copies(assignment, assignment.inputs[1], targets, "assign_first")
    return [_again(update) if waits else update]


def _targets(assignment: Any, variables: Optional[TowerVariables]) -> List[Any]:
    """Returns what an assignment is to write into: its own first input, or that of every tower's copy."""
    group = None if variables is None else variables.group_of(assignment.inputs[0].op)
    if group is None:
        return [assignment.inputs[0]]
    return [group.copies[tower].op.outputs[0] for tower in sorted(group.copies)]


def _copies(assignment: Any, value: Any, targets: Sequence[Any], name: str) -> List[Any]:
    made = []
    for target in targets:
        with tf.device(target.op.device):
            made.append(_copy(assignment, value, "{}/{}".format(target.op.name, name), target))
    return made


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


def _mean_assignments(
    assignments: Sequence[Any], shares: Optional[Sequence[Any]], variables: Optional[TowerVariables]
) -> List[Any]:
    first = assignments[0]
    targets = _targets(first, variables)
    for other in assignments[1:]:
        if other.type != first.type or all(other.inputs[0].op is not target.op for target in targets):
            raise TowerError(
                "the update ops {!r} and {!r} do not write the same variable in the same way: they can't be averaged. "
                "Use {}".format(first.name, other.name, _remedy(variables))
            )
    with tf.device(first.device):
        mean = weighted_mean([assignment.inputs[1] for assignment in assignments], shares)
    return _copies(first, mean, targets, "assign_mean")


def _remedy(variables: Optional[TowerVariables]) -> str:
    """Returns what to ask for where the towers' update ops can't be averaged."""
    return 'update_ops="first"' + ("" if variables is not None else ' or "all"')


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


def _copy(assignment: Any, value: Any, name: str, target: Optional[Any] = None) -> Any:
    """Returns an assignment like `assignment` of another value, to another target if one is given."""
    attributes = dict(assignment.node_def.attr)
    if target is not None:
        # It ties the assignment to the device of the variable that it wrote before.
        attributes.pop("_class", None)
    # Not in assignment.graph: where tf.cond makes functions, an op of the outer graph would always run.
    return tf.get_default_graph().create_op(
        assignment.type,
        [assignment.inputs[0] if target is None else target, value],
        # An op without outputs has no dtypes.
        [output.dtype for output in assignment.outputs],
        name=name,
        attrs=attributes,
    )
