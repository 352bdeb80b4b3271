"""LD208: towers make variables of their own where they should share them."""
from typing import Dict, Iterator, List, Optional, Set

from legacy_towers.compat.versions.tracebacks import user_line
from legacy_towers.doctor.registry import ERROR, check
from legacy_towers.doctor.subject import Evidence, Subject
from legacy_towers.graph.op_kinds import VARIABLE_OPS
from legacy_towers.graph.variable_writes import writes_of
from legacy_towers.tensor_types import Operation


@check("LD208", "duplicated-variables", ERROR, """
`tf.Variable` makes a new variable in each tower: `w` in the first, `w_1` in the second. The towers are then different
models. If the averaged gradients are applied to the variables of the first tower, the others keep their initial
values, and their gradients, which belong to another model, are added to those of the first.

Create variables by `tf.get_variable`, and towers under `tf.variable_scope(tf.get_variable_scope(), reuse=i > 0)`.
Copies on each device, as in replicated training, are not reported: there each copy gets the averaged gradient.
""")
def duplicated_variables(subject: Subject) -> Iterator[Evidence]:
    training = subject.training
    writes = writes_of(subject.operations)
    reported: Set[Operation] = set()
    for update in training.updates:
        trained_by = training.scopes(update)
        own = {tower for scope in trained_by for tower in training.towers_of(training.calls.by_scope[scope])}
        # Calls whose gradients no update applies are looked at, too: an averaging function may have left them out.
        for scope, call in sorted(training.calls.by_scope.items()):
            towers = training.towers_of(call)
            read = training.differentiable(call)
            if len(towers) != 1 or update.variable in read or (scope not in trained_by and towers <= own):
                continue
            copy = _unwritten_copy(update.variable, sorted(read, key=lambda each: str(each.name)), writes)
            if copy is not None and copy not in reported:
                reported.add(copy)
                yield subject.evidence(
                    copy,
                    "{} reads it, and it keeps its initial value: only {!r} is trained, which {} does not read".format(
                        min(towers), update.variable.name, min(towers)),
                    "create the variable by tf.get_variable, and reuse it in the other towers",
                )


def _unwritten_copy(
    variable: Operation, read: List[Operation], writes: Dict[Operation, List[Operation]]
) -> Optional[Operation]:
    """Returns the variable that a tower reads in place of `variable`, if only initializers write it."""
    for other in read:
        if other is variable or other.type != variable.type or other.get_attr("shape") != variable.get_attr("shape"):
            continue
        if user_line(other) == user_line(variable) and len(_after_initializers(other, writes)) == 0:
            return other
    return None


def _after_initializers(variable: Operation, writes: Dict[Operation, List[Operation]]) -> List[Operation]:
    """Returns what writes a variable but its initializer and a saver's restore."""
    return [
        each for each in writes.get(variable, ())
        if each.type not in ("Assign", "AssignVariableOp") or _reads_variables(each)
    ]


def _reads_variables(assign: Operation) -> bool:
    from_value = assign.inputs[1].op
    waiting, seen = [from_value], {from_value}
    while waiting:
        for tensor in waiting.pop().inputs:
            if tensor.op.type in VARIABLE_OPS:
                return True
            if tensor.op not in seen:
                seen.add(tensor.op)
                waiting.append(tensor.op)
    return False
