"""LD203: gradients of towers are averaged for some variables, and added for others."""
from typing import Iterator, List

from legacy_towers.doctor.registry import WARNING, check
from legacy_towers.doctor.subject import Evidence, Subject
from legacy_towers.doctor.training.scales import about, scales
from legacy_towers.graph.variable_writes import Update


@check("LD203", "summed-and-averaged", WARNING, """
One training step divides the summed gradients of the towers by their number for some variables, and not for others:
the learning rate of the latter is larger by the number of towers. It happens where an averaging function treats
sparse gradients (of embeddings) on their own and concatenates them without a division.

Divide the values of sparse gradients by the number of towers, too. Where all gradients are added this check finds
nothing, since the learning rate may be chosen for a sum.
""")
def summed_and_averaged(subject: Subject) -> Iterator[Evidence]:
    training = subject.training
    number = len(training.towers)
    averaged: List[Update] = []
    added: List[Update] = []
    for update in training.updates:
        found = scales(training, update)
        if found is None or len({each.contribution.call.scope for each in found}) != number:
            continue
        if all(about(each.of_gradient, 1.0 / number) for each in found):
            averaged.append(update)
        elif all(each.of_gradient == 1.0 and not each.contribution.part.scalers for each in found):
            added.append(update)
    for update in added if averaged else ():
        yield subject.evidence(
            update.gradient.op,
            "the gradients of {} towers for {!r} are added, and those for {!r} are averaged".format(
                number, update.variable.name, averaged[0].variable.name),
            "divide by the number of towers here, too",
        )
