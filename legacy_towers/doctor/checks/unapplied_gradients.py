"""LD209: gradients of towers are averaged, and not applied."""
from typing import Dict, Iterator, List, Optional, Set

from legacy_towers.doctor.registry import WARNING, check
from legacy_towers.doctor.subject import Evidence, Subject
from legacy_towers.graph.variable_writes import writes_of
from legacy_towers.graph.walk import ancestors, consumers_of
from legacy_towers.tensor_types import Operation, Tensor


@check("LD209", "unapplied-gradients", WARNING, """
The gradients of the towers for a trainable variable are summed or averaged, and no operation applies the result: the
variable keeps its initial value. The usual reason is a statement at the wrong depth in the function that averages,
such as an `append` after the loop in place of in it, so that only the last variable is returned.

Compare the number of pairs that go into `apply_gradients` with that of the variables. To freeze a variable, leave it
out of `var_list`.
""")
def unapplied_gradients(subject: Subject) -> Iterator[Evidence]:
    training = subject.training
    if len(training.towers) < 2 or not training.updates:
        return
    writes = writes_of(subject.operations)
    read: Set[Operation] = set()
    for scope in {scope for update in training.updates for scope in training.scopes(update)}:
        read |= training.differentiable(training.calls.by_scope[scope])
    candidates = [each for each in read if len(writes.get(each, ())) and not _written_later(each, writes)]
    if not candidates:
        return
    needed = ancestors(
        [each for each in subject.operations if each.type != "NoOp" and _ends(each)], graph=subject.graph
    )
    used: Dict[Operation, Set[str]] = {each: set() for each in candidates}
    ends: Dict[Operation, Operation] = {}
    for operation in subject.operations:
        if operation in needed or training.calls.of(operation) is not None:
            continue
        for tensor in operation.inputs:
            call = training.calls.of(tensor.op)
            if call is None:
                continue
            for variable in candidates:
                if _shape_of(tensor) == _shape(variable) and _is_of(tensor.op, call.scope, variable):
                    used[variable] |= training.towers_of(call)
                    ends[variable] = operation
    for variable in sorted(ends, key=lambda each: str(each.name)):
        if used[variable] == set(training.towers):
            yield subject.evidence(
                variable,
                "{!r} gets the gradients of {} towers for it, and nothing applies the result: it is not "
                "trained".format(ends[variable].name, len(training.towers)),
                "return the gradient of each variable from the function that averages, and apply all of them",
            )


def _ends(operation: Operation) -> bool:
    """Returns whether an operation does something beside computing a value."""
    return bool(operation.inputs) and (
        not operation.outputs or operation.op_def.is_stateful
        or any(each.is_ref for each in operation.op_def.input_arg) or operation.type.endswith("Summary")
    )


def _written_later(variable: Operation, writes: Dict[Operation, List[Operation]]) -> bool:
    return any(each.type not in ("Assign", "AssignVariableOp") for each in writes[variable])


def _is_of(gradient: Operation, scope: str, variable: Operation) -> bool:
    """Returns whether a gradient is computed where the variable is read: "gradients/MatMul_grad/..." of "MatMul"."""
    name, separator, _ = gradient.name[len(scope) + 1:].rpartition("_grad/")
    if not separator:
        return False
    readers = [each for reader in consumers_of(variable) for each in [reader] + consumers_of(reader)]
    return any(each.name == name for each in readers)


def _shape_of(tensor: Tensor) -> Optional[List[int]]:
    return tensor.shape.as_list() if tensor.shape.ndims is not None else None


def _shape(variable: Operation) -> List[int]:
    return [each.size for each in variable.get_attr("shape").dim]
