"""LD209: gradients of towers are averaged, and not applied."""
from typing import Dict, Iterator, List, Set

from legacy_towers.doctor.registry import WARNING, check
from legacy_towers.doctor.subject import Evidence, Subject
from legacy_towers.doctor.training.updates import readers_of, writes_of
from legacy_towers.graph.walk import ancestors
from legacy_towers.tensor_types import Operation, Tensor

_REDUCTIONS = frozenset("AddN Add AddV2 AccumulateNV2 Mean Sum RealDiv Div Mul".split())


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
    dead = [each for each in subject.operations if each.type in _REDUCTIONS and each not in needed]
    reductions: Dict[Operation, List[Operation]] = {}
    for operation in dead:
        if training.calls.of(operation) is not None:
            continue
        for variable in candidates:
            if _reduces(subject, operation, variable):
                reductions.setdefault(variable, []).append(operation)
    for variable in sorted(reductions, key=lambda each: str(each.name)):
        yield subject.evidence(
            variable,
            "{!r} combines the gradients of {} towers for it, and nothing applies the result: it is not trained".format(
                reductions[variable][-1].name, len(training.towers)),
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


def _reduces(subject: Subject, operation: Operation, variable: Operation) -> bool:
    """Returns whether `operation` combines several towers' gradients for `variable`."""
    shape = operation.outputs[0].shape
    if not shape.ndims or shape.as_list() != _shape(variable):
        return False
    training = subject.training
    towers: Set[str] = set()
    for tensor in _gradients_before(subject, operation):
        call = training.calls.of(tensor.op)
        if call is not None and _is_of(tensor.op, call.scope, variable):
            towers |= training.towers_of(call)
    return len(towers) == len(training.towers)


def _gradients_before(subject: Subject, operation: Operation) -> List[Tensor]:
    found: List[Tensor] = []
    waiting, seen = [operation], {operation}
    while waiting:
        for tensor in waiting.pop().inputs:
            if subject.training.calls.of(tensor.op) is not None:
                found.append(tensor)
            elif tensor.op not in seen:
                seen.add(tensor.op)
                waiting.append(tensor.op)
    return found


def _is_of(gradient: Operation, scope: str, variable: Operation) -> bool:
    """Returns whether a gradient is computed where the variable is read: "gradients/MatMul_grad/..." of "MatMul"."""
    name, separator, _ = gradient.name[len(scope) + 1:].rpartition("_grad/")
    if not separator:
        return False
    readers = [each for reader in readers_of(variable) for each in [reader] + _after(reader)]
    return any(each.name == name for each in readers)


def _after(operation: Operation) -> List[Operation]:
    return [each for output in operation.outputs for each in output.consumers()]


def _shape(variable: Operation) -> List[int]:
    return [each.size for each in variable.get_attr("shape").dim]
