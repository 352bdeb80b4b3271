"""LD201: the updates of moving averages never run."""
from typing import Iterator, Optional

from legacy_towers.compat import tf
from legacy_towers.doctor.registry import WARNING, check
from legacy_towers.doctor.subject import Evidence, Subject
from legacy_towers.graph.variable_writes import is_assignment, written
from legacy_towers.graph.walk import operations_of
from legacy_towers.tensor_types import Operation


@check("LD201", "update-ops-not-run", WARNING, """
The graph has update operations in the collection `tf.GraphKeys.UPDATE_OPS`; no session run has run one of them, and
no training step writes a variable that they write. Those of batch normalization update the moving mean and variance:
they stay 0 and 1, so that training looks well and the evaluation, which reads them, is wrong.

Create the training operation, `train_op = optimizer.minimize(loss)`, under
`with tf.control_dependencies(tf.get_collection(tf.GraphKeys.UPDATE_OPS)):`, after the model is built.
""")
def update_ops_not_run(subject: Subject) -> Iterator[Evidence]:
    if subject.observed is None:
        return
    updates = operations_of(subject.graph.get_collection(tf.GraphKeys.UPDATE_OPS), subject.graph)
    steps = [each for each in list(subject.observed.fetched) if subject.observed.trains(each)]
    if not updates or not steps or not subject.observed.all_ran().isdisjoint(updates):
        return
    # A step that averages the updates of towers writes the same variables by operations of its own.
    averages = {written(each) for each in map(_assignment, updates) if each is not None} - {None}
    ran = set().union(*map(subject.observed.ran, steps))
    if averages.isdisjoint(written(each) for each in ran if is_assignment(each)):
        yield subject.evidence(
            updates[0],
            "training steps ran, and none of the {} operations in UPDATE_OPS: moving averages keep their initial "
            "values".format(len(updates)),
            "make the training operation under tf.control_dependencies(tf.get_collection(tf.GraphKeys.UPDATE_OPS))",
        )


def _assignment(update: Operation) -> Optional[Operation]:
    """Returns the assignment of an entry of UPDATE_OPS: itself, or the one that its read of the variable waits for."""
    waiting = [update]
    while waiting:
        operation = waiting.pop()
        if is_assignment(operation):
            return operation
        if operation.type in ("Identity", "ReadVariableOp", "NoOp"):
            waiting += list(operation.control_inputs) + [each.op for each in operation.inputs]
    return None
