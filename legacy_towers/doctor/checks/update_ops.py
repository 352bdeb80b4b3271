"""LD201: the updates of moving averages never run."""
from typing import Iterator

from legacy_towers.compat import tf
from legacy_towers.doctor.registry import WARNING, check
from legacy_towers.doctor.subject import Evidence, Subject
from legacy_towers.graph.op_kinds import applies_gradient
from legacy_towers.graph.walk import operations_of


@check("LD201", "update-ops-not-run", WARNING, """
The graph has update operations in the collection `tf.GraphKeys.UPDATE_OPS`, and the training steps run none of them.
Those of batch normalization update the moving mean and variance: they stay 0 and 1, so that training looks well and
the evaluation, which reads them, is wrong.

Create the training operation, `train_op = optimizer.minimize(loss)`, under
`with tf.control_dependencies(tf.get_collection(tf.GraphKeys.UPDATE_OPS)):`, after the model is built.
""")
def update_ops_not_run(subject: Subject) -> Iterator[Evidence]:
    if subject.observed is None:
        return
    updates = operations_of(subject.graph.get_collection(tf.GraphKeys.UPDATE_OPS), subject.graph)
    ran = subject.observed.all_ran()
    if updates and any(map(applies_gradient, ran)) and ran.isdisjoint(updates):
        yield subject.evidence(
            updates[0],
            "training steps ran, and none of the {} operations in UPDATE_OPS: moving averages keep their initial "
            "values".format(len(updates)),
            "make the training operation under tf.control_dependencies(tf.get_collection(tf.GraphKeys.UPDATE_OPS))",
        )
