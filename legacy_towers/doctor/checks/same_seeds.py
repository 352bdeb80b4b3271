"""LD103: random operations with the same seed in several towers."""
from typing import Dict, Iterator, List, Set, Tuple

from legacy_towers.doctor.registry import WARNING, check
from legacy_towers.doctor.subject import Evidence, Subject
from legacy_towers.graph.op_kinds import draws_random_numbers, has_op_seed
from legacy_towers.graph.walk import ancestors
from legacy_towers.tensor_types import Operation
from legacy_towers.text.names import listed


@check("LD103", "same-seeds", WARNING, """
The same random operation has the same seed in several towers, as with `tf.nn.dropout(x, 0.5, seed=1)` in the function
of a tower: in each step all towers draw the same numbers, so that they drop the same units, or distort their examples
alike. The mean gradient of the towers is noisier than that of one large batch.

Add the index of the tower to the seed, or leave `seed` out and call `tf.set_random_seed(1)`, which gives each
operation a seed of its own and can be reproduced as well.
""")
def same_seeds(subject: Subject) -> Iterator[Evidence]:
    training = subject.training
    if len(training.towers) < 2:
        return
    roots: Set[Operation] = set()
    for scope in {scope for update in training.updates for scope in training.scopes(update)}:
        roots.update(training.calls.by_scope[scope].roots)
    by_seed: Dict[Tuple[str, int, int, str], Dict[str, List[Operation]]] = {}
    for operation in ancestors(list(roots), graph=subject.graph, by_control=False):
        tower = training.key_of(operation)
        if tower is not None and draws_random_numbers(operation) and has_op_seed(operation):
            key = operation.type, _seed(operation, "seed"), _seed(operation, "seed2"), str(operation.outputs[0].shape)
            by_seed.setdefault(key, {}).setdefault(tower, []).append(operation)
    for key in sorted(by_seed):
        by_tower = by_seed[key]
        if len(by_tower) > 1:
            first = by_tower[min(by_tower)][0]
            yield subject.evidence(
                first,
                "it has the same seed in {}: they draw the same random numbers".format(listed(sorted(by_tower))),
                "add the index of the tower to the seed, or use tf.set_random_seed in its place",
            )


def _seed(operation: Operation, name: str) -> int:
    attributes = {each.name for each in operation.op_def.attr}
    return int(operation.get_attr(name)) if name in attributes else 0
