"""LD210: several towers update one variable in no order."""
from typing import Dict, Iterator, List, Optional, Set, Tuple

from legacy_towers.doctor.registry import WARNING, check
from legacy_towers.doctor.subject import Evidence, Subject
from legacy_towers.graph.variable_writes import is_assignment, written
from legacy_towers.graph.walk import ancestors
from legacy_towers.tensor_types import Operation
from legacy_towers.text.names import listed


@check("LD210", "racing-updates", WARNING, """
In one step several towers assign to the same variable, and nothing orders them: usually the moving averages of batch
normalization, where `tf.get_collection(tf.GraphKeys.UPDATE_OPS)` returns the updates of all towers. Each computes its
new value from what it happened to read, so that updates are lost or count several times, and no two runs are equal.

Run the updates of one tower: `tf.get_collection(tf.GraphKeys.UPDATE_OPS, scope)` with the name scope of the first
tower.
""")
def racing_updates(subject: Subject) -> Iterator[Evidence]:
    if subject.observed is None or len(subject.training.towers) < 2:
        return
    reported: Set[Operation] = set()
    for fetched in list(subject.observed.fetched):
        ran = subject.observed.ran(fetched)
        by_variable = _by_variable(subject, ran)
        for variable in sorted(by_variable, key=lambda each: str(each.name)):
            pair = None if variable in reported else _unordered(by_variable[variable])
            if pair is not None:
                reported.update(by_variable)
                towers = sorted(by_variable[variable])
                others = len(by_variable) - 1
                more = "; {} more variables have the same problem".format(others) if others else ""
                yield subject.evidence(
                    pair[1],
                    "{} assign to {!r} in one step, in no order{}".format(
                        listed(towers), variable.name, more),
                    "run the updates of one tower: tf.get_collection(tf.GraphKeys.UPDATE_OPS, scope)",
                )


def _by_variable(subject: Subject, ran: Set[Operation]) -> Dict[Operation, Dict[str, Operation]]:
    """Returns variable -> tower -> what assigns to it, of the variables that several towers assign to."""
    found: Dict[Operation, Dict[str, Operation]] = {}
    for operation in ran:
        if not is_assignment(operation):
            continue
        variable = written(operation)
        tower = subject.training.tower_of(operation)
        if variable is not None and tower is not None and not _commutes(operation, variable):
            found.setdefault(variable, {})[tower] = operation
    return {variable: by_tower for variable, by_tower in found.items() if len(by_tower) > 1}


def _commutes(operation: Operation, variable: Operation) -> bool:
    """Returns whether an operation adds what does not depend on the variable, as a counter does."""
    if not operation.type.startswith(("AssignAdd", "AssignSub")):
        return False
    return variable not in ancestors([operation.inputs[1]], graph=operation.graph, by_control=False)


def _unordered(by_tower: Dict[str, Operation]) -> Optional[Tuple[Operation, Operation]]:
    """Returns two of the operations neither of which waits for the other; None if there are none."""
    operations: List[Operation] = [by_tower[tower] for tower in sorted(by_tower)]
    needed = [ancestors([each], graph=each.graph) for each in operations]
    for first in range(len(operations)):
        for second in range(first + 1, len(operations)):
            if operations[first] not in needed[second] and operations[second] not in needed[first]:
                return operations[first], operations[second]
    return None
