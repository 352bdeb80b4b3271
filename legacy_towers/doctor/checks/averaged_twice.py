"""LD202: a loss is divided by the number of towers twice."""
from typing import Iterator, Optional

from legacy_towers.doctor.registry import WARNING, check
from legacy_towers.doctor.subject import Evidence, Subject
from legacy_towers.doctor.training.scales import Scale, about, is_of_formula, scales
from legacy_towers.tensor_types import Operation


@check("LD202", "averaged-twice", WARNING, """
The losses of the towers are divided by their number, and so are the gradients: the update is that of the mean loss
divided by the number of towers once more, as with a learning rate that is smaller by that factor. Examples are `loss /
num_towers` in each tower, or a sum over the examples of the tower that is divided by the size of the global batch,
before gradients are averaged.

Divide once: the loss of each tower, whose gradients are then added, or the sum of the gradients.
""")
def averaged_twice(subject: Subject) -> Iterator[Evidence]:
    number = len(subject.training.towers)
    for update in subject.training.updates:
        found = scales(subject.training, update)
        if found is None or not all(_is_scaled_twice(each, number) for each in found):
            continue
        divisions = [_division(each, number) for each in found]
        if all(each is not None for each in divisions) and divisions[0] is not None:
            yield subject.evidence(
                divisions[0],
                "it divides the loss by the number of towers, {}, and the gradients for {!r} are divided by it, "
                "too".format(number, update.variable.name),
                "divide by the number of towers once",
            )


def _is_scaled_twice(scale: Scale, number: int) -> bool:
    return about(scale.of_loss, 1.0 / number) and about(scale.of_gradient, 1.0 / number)


def _division(scale: Scale, number: int) -> Optional[Operation]:
    """Returns the operation that divides the loss of a tower; None if that may be part of the loss's formula."""
    sizes = [each for each in scale.loss.scalers if not is_of_formula(each, number)]
    return sizes[0] if sizes else None
