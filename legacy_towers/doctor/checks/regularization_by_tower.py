"""LD205: weight decay that depends on the number of towers."""
from typing import Dict, Iterator, List, Set, Tuple

from legacy_towers.doctor.registry import WARNING, check
from legacy_towers.doctor.subject import Evidence, Subject
from legacy_towers.doctor.training.linear import Part
from legacy_towers.doctor.training.scales import Scale, about, is_of_formula, scales
from legacy_towers.tensor_types import Operation
from legacy_towers.text.names import listed


@check("LD205", "regularization-by-tower", WARNING, """
The size of the regularization depends on the number of towers. Either every tower adds the same regularization losses
to a loss that is divided by the number of towers, and the gradients are added: the decay is multiplied by the number
of towers. Or one tower adds them, and the gradients are averaged: the decay is divided by it. A run on more devices
then trains another model.

Where gradients are averaged, add the regularization losses in every tower. Where they are added, add them in one
tower, or divide them by the number of towers as well.
""")
def regularization_by_tower(subject: Subject) -> Iterator[Evidence]:
    training = subject.training
    number = len(training.towers)
    reported: Set[Operation] = set()
    for update in training.updates:
        found = scales(training, update)
        if found is None or len({each.contribution.call.scope for each in found}) != number:
            continue
        for loss, parts in _regularization(subject, found).items():
            if loss in reported or not all(about(part.factor, 1.0) for _, part in parts):
                continue
            reported.add(loss)
            if len(parts) == number and all(_is_divided_loss(each, number) for each in found):
                yield subject.evidence(
                    loss,
                    "each of {} towers adds it to a loss that is divided by {}, and their gradients are added: it "
                    "counts {} times".format(number, number, number),
                    "add it in one tower only, or divide it by the number of towers",
                )
                return
            if len(parts) == 1 and all(about(each.of_gradient, 1.0 / number) for each in found):
                yield subject.evidence(
                    loss,
                    "{} alone adds it to its loss, and the gradients of {} towers are averaged: it counts 1/{}".format(
                        listed([parts[0][0].tower]), number, number),
                    "add it in every tower",
                )
                return


def _regularization(subject: Subject, found: List[Scale]) -> Dict[Operation, List[Tuple[Scale, Part]]]:
    """Returns regularization loss -> (tower, its part of the tower's loss), of those outside the towers' scopes."""
    training = subject.training
    shared = training.regularization - training.repeated_regularization
    parts: Dict[Operation, List[Tuple[Scale, Part]]] = {}
    for scale in found:
        for part in training.losses(scale.contribution.call):
            operation = part.tensor.op
            if operation in shared and not training.reads_examples(operation):
                parts.setdefault(operation, []).append((scale, part))
    return parts


def _is_divided_loss(scale: Scale, number: int) -> bool:
    """Returns whether a tower's loss is divided by the number of towers, and its gradient is not."""
    divided = about(scale.of_loss, 1.0 / number) and about(scale.of_gradient, 1.0)
    return divided and any(not is_of_formula(each, number) for each in scale.loss.scalers)
