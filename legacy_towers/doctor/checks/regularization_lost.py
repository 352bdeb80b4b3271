"""LD204: regularization losses that no training step differentiates."""
from typing import Iterator, List, Set

from legacy_towers.doctor.registry import WARNING, check
from legacy_towers.doctor.subject import Evidence, Subject
from legacy_towers.graph.op_kinds import VARIABLE_OPS
from legacy_towers.graph.variable_writes import value_of
from legacy_towers.graph.walk import ancestors
from legacy_towers.tensor_types import Operation


@check("LD204", "regularization-lost", WARNING, """
The model gives regularizers to its variables, and the losses that are differentiated do not contain what these add to
`tf.GraphKeys.REGULARIZATION_LOSSES`: weights are trained without their decay. TensorFlow adds them to no loss itself.
In towers, `tf.losses.get_regularization_losses(scope)` is empty, since `tf.get_variable` makes the losses once,
outside the scope of every tower.

Use `tf.losses.get_total_loss()` or `loss + tf.losses.get_regularization_loss()`, without the scope of the tower.
""")
def regularization_lost(subject: Subject) -> Iterator[Evidence]:
    training = subject.training
    roots: Set[Operation] = set()
    for update in training.updates:
        for scope in training.scopes(update):
            roots.update(training.calls.by_scope[scope].roots)
    if not roots:
        return
    differentiated = ancestors(list(roots), graph=subject.graph)
    trained = set(training.trained)
    lost: List[Operation] = []  # a variable each
    for loss in sorted(training.regularization - differentiated, key=lambda each: str(each.name)):
        variables = {each for each in ancestors([loss], graph=subject.graph) if each.type in VARIABLE_OPS}
        if variables and variables <= trained and not _is_copied(loss, variables, differentiated):
            lost.append(min(variables, key=lambda each: str(each.name)))
    if lost:
        yield subject.evidence(
            lost[0],
            "{} of {} losses in REGULARIZATION_LOSSES are in no loss that is differentiated, though their variables "
            "are trained".format(len(lost), len(training.regularization)),
            "add tf.losses.get_regularization_loss() to the loss, without the scope of a tower",
        )


def _is_copied(loss: Operation, variables: Set[Operation], differentiated: Set[Operation]) -> bool:
    """Returns whether another operation of the same kind and variable, such as l2_loss, is differentiated instead."""
    norms = {each.type for each in ancestors([loss], graph=loss.graph) if each.type in ("L2Loss", "Abs", "Square")}
    return any(each.type in norms and {value_of(each.inputs[0])} == variables for each in differentiated)
