"""LD501: towers that run one after the other."""
from typing import Dict, Iterator, List, Set

from legacy_towers.doctor.registry import WARNING, check
from legacy_towers.doctor.subject import Evidence, Subject
from legacy_towers.doctor.towers import tower_scope
from legacy_towers.graph.op_kinds import applies_gradient
from legacy_towers.graph.waits import find_waits
from legacy_towers.tensor_types import Operation

_VARIABLES = ("VariableV2", "Variable", "VarHandleOp")
_READS = ("Identity", "ReadVariableOp")


@check("LD501", "serial-towers", WARNING, """
The towers read the same variables, and most of one tower can run only after operations of another: the devices compute
one after the other, and several of them are no faster than one. The usual reasons: the loop over the towers stands
under `tf.control_dependencies` of what the towers before have made, such as their losses, updates of moving averages
or summaries; or a tower reads a tensor of another.

Leave the dependency away, or depend on what no tower computes. `legacy-towers bottleneck` measures how much the
devices overlap, and names the same dependency.
""")
def serial_towers(subject: Subject) -> Iterator[Evidence]:
    for wait in find_waits(_replicas(subject))[:1]:
        yield subject.evidence(
            wait.operation, "{}: these towers run one after the other".format(wait),
            "let no tower depend on operations of another one",
        )


def _replicas(subject: Subject) -> Dict[str, List[Operation]]:
    """Returns tower -> its operations before the gradients, if they read the same variables, most at least."""
    groups: Dict[str, List[Operation]] = {}
    for operation in subject.operations:
        tower = tower_scope(operation) if operation in subject.trained else None
        waits = bool(operation.inputs or operation.control_inputs)  # a constant does not
        if tower is not None and waits and _is_forward(operation):
            groups.setdefault(tower, []).append(operation)
    read = [_variables_read(operations) for operations in groups.values()]
    if not read or 2 * len(set.intersection(*read)) < len(set.union(*read)) or not all(read):
        return {}
    return groups


def _is_forward(operation: Operation) -> bool:
    parts = operation.name.split("/")
    return not applies_gradient(operation) and not any(
        part.startswith("gradients") or part.endswith("_grad") for part in parts
    )


def _variables_read(operations: List[Operation]) -> Set[Operation]:
    found = set()
    for operation in operations:
        for tensor in operation.inputs:
            source = tensor.op
            if source.type in _READS and source.inputs:
                source = source.inputs[0].op
            if source.type in _VARIABLES:
                found.add(source)
    return found
