"""LD501: towers that run one after the other."""
from typing import Iterator

from legacy_towers.doctor.registry import WARNING, check
from legacy_towers.doctor.replicas import replica_operations
from legacy_towers.doctor.subject import Evidence, Subject
from legacy_towers.graph.waits import find_waits


@check("LD501", "serial-towers", WARNING, """
The towers read the same variables, and most of one tower can run only after operations of another: the devices compute
one after the other, and several of them are no faster than one. The usual reasons: the loop over the towers stands
under `tf.control_dependencies` of what the towers before have made, such as their losses, updates of moving averages
or summaries; or a tower reads a tensor of another.

Remove the dependency, or depend on an operation outside of the towers. `legacy-towers bottleneck` measures how much
the devices overlap, and names the same dependency.
""")
def serial_towers(subject: Subject) -> Iterator[Evidence]:
    in_order = [each for each in subject.operations if each in subject.trained]
    for wait in find_waits(replica_operations(in_order))[:1]:
        yield subject.evidence(
            wait.operation, "{}: these towers run one after the other".format(wait),
            "let no tower depend on operations of another one",
        )
