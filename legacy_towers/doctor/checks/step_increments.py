"""LD212: one step increments the global step several times."""
from typing import Dict, FrozenSet, Iterator, List

from legacy_towers.doctor.registry import WARNING, check
from legacy_towers.doctor.subject import Evidence, Subject
from legacy_towers.doctor.training.linear import scalar_of
from legacy_towers.graph.op_kinds import applies_gradient
from legacy_towers.graph.variable_writes import written
from legacy_towers.tensor_types import Operation


@check("LD212", "several-step-increments", WARNING, """
One session run increments the global step several times: every tower's `apply_gradients` gets `global_step`, or the
script increments it beside the optimizer. Learning rates then decay, and hooks stop, save and log, too early by
that factor.

Pass `global_step` to one `apply_gradients` or `minimize` per step. Two optimizers for different variables, as in a
GAN, are not reported.
""")
def several_step_increments(subject: Subject) -> Iterator[Evidence]:
    if subject.observed is None:
        return
    for fetched in sorted(subject.observed.fetched, key=len):
        by_variable: Dict[Operation, List[Operation]] = {}
        for operation in subject.observed.ran(fetched):
            if increments_by_one(operation):
                variable = written(operation)
                if variable is not None:
                    by_variable.setdefault(variable, []).append(operation)
        for variable, increments in by_variable.items():
            repeated = _repeated(sorted(increments, key=lambda each: str(each.name)))
            if repeated:
                yield subject.evidence(
                    repeated[-1],
                    "one run increments {!r} {} times".format(variable.name, len(repeated)),
                    "pass global_step to one apply_gradients or minimize per step",
                )
                return


def increments_by_one(operation: Operation) -> bool:
    """Returns whether an operation adds one to an integer variable."""
    return (
        operation.type in ("AssignAdd", "AssignAddVariableOp") and operation.inputs[1].dtype.is_integer
        and scalar_of(operation.inputs[1]) == 1.0
    )


def _repeated(increments: List[Operation]) -> List[Operation]:
    """Returns the increments of one step, if there are several."""
    updated = [_updated_before(each) for each in increments]
    for variables in updated:
        if variables:
            same = [
                increment for increment, others in zip(increments, updated) if not others or variables & others
            ]
            if len(same) > 1:
                return same
    return []


def _updated_before(increment: Operation) -> FrozenSet[Operation]:
    """Returns the variables whose updates an increment waits for: those of its optimizer."""
    found = set()
    # The control inputs may be those of the constant that is added.
    waiting, seen = [increment, increment.inputs[1].op], {increment}
    while waiting:
        for before in waiting.pop().control_inputs:
            if before in seen:
                continue
            seen.add(before)
            if applies_gradient(before):
                found.add(written(before))
            elif before.type in ("NoOp", "Identity"):
                waiting.append(before)
    return frozenset(each for each in found if each is not None)
