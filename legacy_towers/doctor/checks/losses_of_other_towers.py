"""LD206: the loss of a tower has losses of other towers in it."""
from typing import Dict, FrozenSet, Iterator, List, Optional, Set

from legacy_towers.doctor.registry import ERROR, check
from legacy_towers.doctor.subject import Evidence, Subject
from legacy_towers.graph.gradient_calls import GradientCall
from legacy_towers.tensor_types import Operation
from legacy_towers.text.names import listed


@check("LD206", "losses-of-other-towers", ERROR, """
A tower differentiates the losses of other towers beside its own. `tf.losses.get_total_loss()`,
`tf.get_collection("losses")` and `tf.losses.get_regularization_losses()` return what all towers so far have added:
the second tower gets two losses, the third three. The first tower's examples then count as often as there are towers,
those of the last one once, and each tower computes the other towers' gradients again.

Give the collection the name scope of the tower: `with tf.name_scope("tower_%d" % i) as scope:` and
`tf.losses.get_losses(scope)` or `tf.get_collection("losses", scope)`. Or use the loss that the tower's own function
returns.
""")
def losses_of_other_towers(subject: Subject) -> Iterator[Evidence]:
    training = subject.training
    seen: Set[str] = set()
    for update in training.updates:
        calls = [training.calls.by_scope[each] for each in sorted(training.scopes(update))]
        if len(calls) < 2:
            continue
        made = {each.scope: _made_by(subject, each) for each in calls}
        for call in calls:
            own = _own_tower(calls, call, made)
            others = set(made[call.scope]) - {own}
            if own is None or not others or call.scope in seen:
                continue
            seen.add(call.scope)
            loss = min((made[call.scope][other] for other in others), key=lambda each: str(each[0].name))[0]
            yield subject.evidence(
                loss,
                "it is a loss of {}, and {} differentiates it, too, beside its own: its examples count more "
                "often".format(
                    listed(sorted(others)), own),
                "take the losses of the tower only: tf.losses.get_losses(scope), tf.get_collection(\"losses\", scope)",
            )


def _made_by(subject: Subject, call: GradientCall) -> Dict[str, List[Operation]]:
    """Returns tower -> the losses in its own scope that a call differentiates.

    These are losses over examples. Regularization losses that all towers add are correct, even if the first tower's
    layers made them, unless each tower makes its own for the same variables.
    """
    training = subject.training
    found: Dict[str, List[Operation]] = {}
    for part in training.losses(call):
        operation = part.tensor.op
        key = training.key_of(operation)
        if key is not None and part.tensor.shape.ndims == 0:
            if training.reads_examples(operation) or operation in training.repeated_regularization:
                found.setdefault(key, []).append(operation)
    return found


def _own_tower(
    calls: List[GradientCall], call: GradientCall, made: Dict[str, Dict[str, List[Operation]]]
) -> Optional[str]:
    """Returns the tower that only this call, or calls with still more towers, differentiate; None if it is not one."""
    losses = {tower: frozenset(each) for tower, each in made[call.scope].items()}
    smaller: Set[str] = set()
    for other in calls:
        theirs: Dict[str, FrozenSet[Operation]] = {key: frozenset(each) for key, each in made[other.scope].items()}
        if other is not call and set(theirs) < set(losses) and all(theirs[key] & losses[key] for key in theirs):
            smaller |= set(theirs)
    own = set(losses) - smaller
    return own.pop() if smaller and len(own) == 1 else None
