"""LD304: num_epochs without an initializer of local variables."""
from typing import Iterator

from legacy_towers.doctor.registry import ERROR, check
from legacy_towers.doctor.subject import Evidence, Subject
from legacy_towers.graph.walk import consumers_of
from legacy_towers.migrate.conversion.operations import COUNTERS

_HOLDERS = ("VariableV2", "Variable", "VarHandleOp")
_ASSIGNS = ("Assign", "AssignVariableOp")


@check("LD304", "uninitialized-epochs", ERROR, """
`num_epochs` counts in a local variable, which no run of the script has initialized. The thread that reads the files
fails at once, and the training loop ends in its first step with OutOfRangeError, as if the data were at their end.

Run `tf.local_variables_initializer()` beside `tf.global_variables_initializer()`, before the queue runners start.
""")
def uninitialized_epochs(subject: Subject) -> Iterator[Evidence]:
    if subject.observed is None or not subject.observed.runs:
        return
    ran = subject.observed.all_ran()
    for operation in subject.of_types(COUNTERS):
        if operation not in ran:
            continue
        holder = operation.inputs[0].op
        if holder.type not in _HOLDERS:
            continue
        assigns = [each for each in consumers_of(holder) if each.type in _ASSIGNS]
        if assigns and ran.isdisjoint(assigns):
            yield subject.evidence(
                operation,
                "num_epochs counts in the local variable {!r}, which is not initialized".format(holder.name),
                "run tf.local_variables_initializer() before the queue runners start",
            )
