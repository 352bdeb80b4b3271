"""LD211: a step reads a variable that it also assigns to, in no order."""
from typing import Dict, Iterator, List, Set

from legacy_towers.doctor.registry import WARNING, check
from legacy_towers.doctor.subject import Evidence, Subject
from legacy_towers.graph.op_kinds import applies_gradient
from legacy_towers.graph.variable_writes import is_assignment, written
from legacy_towers.graph.walk import ancestors, consumers_of
from legacy_towers.tensor_types import Operation


@check("LD211", "unordered-assignment", WARNING, """
One run both assigns to a variable and trains with it, and nothing orders the two: TensorFlow may compute with the old
value, with the new one, or, with a reference variable, with some elements of each. Examples are `sess.run([train_op,
clip_weights])`, where the weights may be clipped before they are updated, and `sess.run([assign_rate, train_op])`.

Use two runs, or create what comes second under `tf.control_dependencies([first])`. What reads a variable must be
created there, too.
""")
def unordered_assignment(subject: Subject) -> Iterator[Evidence]:
    if subject.observed is None:
        return
    reported: Set[Operation] = set()
    for fetched in list(subject.observed.fetched):
        ran = subject.observed.ran(fetched)
        updates = [each for each in ran if applies_gradient(each)]
        writes = [each for each in ran if is_assignment(each) and _is_float(each)] if updates else []
        if not writes:
            continue
        used = ancestors(updates, graph=subject.graph, by_control=False)
        needed: Dict[Operation, Set[Operation]] = {}
        for write in sorted(writes, key=lambda each: str(each.name)):
            variable = written(write)
            if variable is None or write in reported or write in used:
                continue
            for other in _accesses(variable, used):
                if not _are_ordered(write, other, needed):
                    reported.add(write)
                    how = "updates it by its gradient" if applies_gradient(other) else "reads it to train"
                    yield subject.evidence(
                        write,
                        "it assigns to {!r}, and {!r} {} in the same run, in no order".format(
                            variable.name, other.name, how),
                        "use two runs, or create the second one under tf.control_dependencies([first])",
                    )
                    break


def _is_float(write: Operation) -> bool:
    return len(write.inputs) > 1 and bool(write.inputs[-1].dtype.base_dtype.is_floating)


def _accesses(variable: Operation, used: Set[Operation]) -> List[Operation]:
    """Returns what trains with a variable: it reads the variable, or updates it by its gradient."""
    return sorted(
        (each for each in consumers_of(variable) if each in used and not is_assignment(each)),
        key=lambda each: str(each.name),
    )


def _are_ordered(one: Operation, other: Operation, needed: Dict[Operation, Set[Operation]]) -> bool:
    for each in (one, other):
        if each not in needed:
            needed[each] = ancestors([each], graph=each.graph)
    return one in needed[other] or other in needed[one]
