"""LD207: some towers have no gradient for a variable that their losses read."""
from typing import Iterator, Set

from legacy_towers.doctor.registry import ERROR, check
from legacy_towers.doctor.subject import Evidence, Subject
from legacy_towers.text.names import listed


@check("LD207", "missing-gradients", ERROR, """
The losses of all towers depend on a variable, and it is trained with the gradients of some towers only. The examples
of the others do not train it, and a mean over fewer gradients than towers is of another size. The usual reasons are a
`var_list` that differs between towers (`tf.trainable_variables()` in the loop returns what exists by then), a `zip`
that ends with the shortest list, and `None` gradients that are left out.

Give every tower the same `var_list`, after all variables are created, and average the gradients by variable.
""")
def missing_gradients(subject: Subject) -> Iterator[Evidence]:
    training = subject.training
    if len(training.towers) < 2:
        return
    calls = training.calls.by_scope
    used = {scope for update in training.updates for scope in training.scopes(update)}
    for variable in training.trained:
        # Updates that have not run count, too: each tower may have a training operation of its own.
        own = [each for each in training.all_updates if each.variable is variable]
        scopes = {each for update in own for each in training.scopes(update)}
        having: Set[str] = set()
        for scope in scopes:
            having |= training.towers_of(calls[scope])
        without: Set[str] = set()
        for scope in used - scopes:
            towers = training.towers_of(calls[scope])
            if len(towers) == 1 and variable in training.differentiable(calls[scope]):
                without |= towers
        without -= having
        # Calls of other kinds (a second loss of a GAN) do not train it in any tower.
        if having and without and having | without == set(training.towers):
            yield subject.evidence(
                variable,
                "{} no gradient for it, which their losses read; {}".format(
                    _have(without), _have(having).replace(" have", " have one").replace(" has", " has one")),
                "give all towers the same var_list, and average the gradients by variable",
            )


def _have(towers: Set[str]) -> str:
    return "{} {}".format(listed(sorted(towers)), "has" if len(towers) == 1 else "have")
