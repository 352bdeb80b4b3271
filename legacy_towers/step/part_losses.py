"""A part's loss in each tower, and the regularization of its variables, which counts exactly once."""
from typing import Any, List, NamedTuple, Optional, Sequence

from legacy_towers import graph_walk
from legacy_towers.compat import tf
from legacy_towers.errors import TowerError
from legacy_towers.step.setup import Setup
from legacy_towers.towers.regularization import RegularizationTerm, missing_regularization, regularization_terms
from legacy_towers.towers.replicate import Tower


class PartLosses(NamedTuple):
    """What a part's gradients are computed of.

    Attributes:
      of_towers: scalar tensor per training tower.
      same: scalar tensor that is to be added once to their mean; None if they are complete.
      terms: the regularization losses that concern the part.
    """

    of_towers: List[Any]
    same: Optional[Any]
    terms: List[RegularizationTerm]


def shared_losses(setup: Setup, name: str, variables: Sequence[Any], is_alone: bool) -> PartLosses:
    """Returns the losses of towers that share their variables: what they lack alike is added once to their mean."""
    losses = [tower.losses[name] for tower in setup.training]
    terms = regularization_terms(
        losses,
        _of_variables(setup.regularization_losses, variables, is_alone),
        [tower.collected.regularization_losses for tower in setup.training],
        setup.shares,
        [tower.examples.batch for tower in setup.training],
        [tower.examples.batch for tower in setup.validating],
    )
    _check_spoilt_by_copies(setup, terms)
    return PartLosses(losses, missing_regularization(terms, losses[0].dtype), terms)


def own_losses(setup: Setup, name: str, variables: Sequence[Any], is_alone: bool) -> PartLosses:
    """Returns the losses of towers that each apply by themselves, or have variables of their own: each is complete."""
    by_towers = {id(loss) for tower in setup.towers for loss in tower.collected.regularization_losses}
    outside = [loss for loss in setup.regularization_losses if id(loss) not in by_towers]
    completed, terms = [], []
    for tower in setup.training:
        of_tower = tower.collected.regularization_losses
        # Where variables are shared, tower 0 made the regularization losses of them all.
        made = of_tower if setup.strategy.copies else setup.training[0].collected.regularization_losses
        own = [tower.variables.own(tower.index, variable) for variable in variables]
        candidates = _of_variables(outside + list(made), own, is_alone)
        others = [other.examples.batch for other in setup.towers if other is not tower]
        found = regularization_terms(
            [tower.losses[name]], candidates, [made], None, [tower.examples.batch], others
        )
        if tower is setup.training[0]:
            terms = found
        _check_spoilt_by_copies(setup, found)
        completed.append(_plus(tower, tower.losses[name], missing_regularization(found, tower.losses[name].dtype)))
    return PartLosses(completed, None, terms)


def _plus(tower: Tower, loss: Any, regularization: Optional[Any]) -> Any:
    if regularization is None:
        return loss
    with tf.device(tower.placer), tf.name_scope(tower.scope):
        return tf.add(loss, regularization, name="regularized_loss")


def _of_variables(losses: Sequence[Any], variables: Sequence[Any], is_alone: bool) -> List[Any]:
    """Returns the losses that depend on one of the variables; all of them for a part that is alone."""
    if is_alone:
        return list(losses)
    operations = {variable.op for variable in variables}
    return [loss for loss in losses if not graph_walk.ancestors([loss.op]).isdisjoint(operations)]


def _check_spoilt_by_copies(setup: Setup, terms: Sequence[RegularizationTerm]) -> None:
    if not setup.batches.padded:
        return
    for term in terms:
        if term.of_tower is not None:
            raise TowerError(
                'the regularization loss {!r} is of the examples of tower {}: remainder="pad" fills the last batch '
                'with copies, which it would contain. Take remainder="short", or make it part of a loss per '
                "example".format(term.loss.op.name, setup.training[term.of_tower].index)
            )
