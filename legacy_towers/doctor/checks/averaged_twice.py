"""LD202: a loss is divided by the number of towers twice."""
from typing import Iterator, Optional

from legacy_towers.doctor.registry import WARNING, check
from legacy_towers.doctor.subject import Evidence, Subject
from legacy_towers.doctor.training.logarithms import is_of_logarithm
from legacy_towers.doctor.training.scales import Scale, about, divides_by_literal, is_of_formula, scales
from legacy_towers.tensor_types import Operation


@check("LD202", "averaged-twice", WARNING, """
The losses of the towers are divided by their number, and so are the gradients: the update is that of the mean loss
divided by the number of towers once more, as with a learning rate that is smaller by that factor. Examples are `loss /
num_towers` in each tower, or a sum over the examples of the tower that is divided by the size of the global batch,
before gradients are averaged.

A literal number, `loss / 3` with three towers, counts if it divides the whole loss of each tower, and not the sum of
several losses, which may be their mean. `loss / 2` with two towers may be the half of a squared loss: it counts only
for cross-entropy and other losses that are logarithms. A factor, `0.5 * loss`, never counts: it may be a weight.

Divide once: the loss of each tower, whose gradients are then added, or the sum of the gradients.
""")
def averaged_twice(subject: Subject) -> Iterator[Evidence]:
    number = len(subject.training.towers)
    for update in subject.training.updates:
        found = scales(subject.training, update)
        if found is None or not all(_is_scaled_twice(each, number) for each in found):
            continue
        divisions = [_division(subject, each, number) for each in found]
        if all(each is not None for each in divisions) and divisions[0] is not None:
            yield subject.evidence(
                divisions[0],
                "it divides the loss by the number of towers, {}, and the gradients for {!r} are divided by it, "
                "too".format(number, update.variable.name),
                "divide by the number of towers once",
            )


def _is_scaled_twice(scale: Scale, number: int) -> bool:
    return about(scale.of_loss, 1.0 / number) and about(scale.of_gradient, 1.0 / number)


def _division(subject: Subject, scale: Scale, number: int) -> Optional[Operation]:
    """Returns the operation that divides the loss of a tower; None if that may be part of the loss's formula."""
    sizes = [each for each in scale.loss.scalers if not is_of_formula(each, number)]
    if not sizes and (number > 2 or is_of_logarithm(scale.loss.tensor)):
        others = [each for each in subject.training.data_losses(scale.contribution.call)
                  if each is not scale.loss and subject.training.tower_of(each.tensor.op) == scale.tower]
        sizes = [each for each in scale.loss.scalers
                 if divides_by_literal(each, number) and not any(each in other.scalers for other in others)]
    return sizes[0] if sizes else None
