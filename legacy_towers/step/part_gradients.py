"""From the towers' losses to gradients that can be applied: made one, or each tower's own."""
from typing import Any, List, NamedTuple, Sequence

from legacy_towers.compat import tf
from legacy_towers.gradients.base import Site, TowerGradients
from legacy_towers.gradients.chain import chain
from legacy_towers.gradients.missing import missing, settle_missing
from legacy_towers.gradients.reduce import Prepared, prepare
from legacy_towers.gradients.regularize import regularization_gradients
from legacy_towers.gradients.shares import tower_shares, weighted_mean
from legacy_towers.step.part_losses import PartLosses, own_losses, shared_losses
from legacy_towers.step.parts import Part
from legacy_towers.step.setup import Setup
from legacy_towers.towers.differentiate import tower_gradients
from legacy_towers.towers.output import WHOLE


class PartGradients(NamedTuple):
    """One part's gradients, ready to be applied.

    Attributes:
      part: the part.
      variables: what it trains.
      losses: what the gradients were computed of.
      loss: scalar tensor, the part's loss over all towers.
      reduced: the gradients; where each tower applies its own, one entry per tower, else one entry.
    """

    part: Part
    variables: List[Any]
    losses: PartLosses
    loss: Any
    reduced: List[TowerGradients]


def part_gradients(setup: Setup, part: Part, variables: Sequence[Any], is_alone: bool) -> PartGradients:
    """Returns the gradients of one part, as the strategy wants them: the towers' made one, or each tower's own."""
    apart = setup.strategy.updates != "reduced"
    complete = own_losses if apart or setup.strategy.copies else shared_losses
    losses = complete(setup, part.name, variables, is_alone)
    loss = weighted_mean(losses.of_towers, setup.shares)
    if losses.same is not None:
        loss = loss + losses.same
    gradients = _of_each_tower if apart else _made_one
    return PartGradients(part, list(variables), losses, loss, gradients(setup, part, variables, losses))


def _made_one(setup: Setup, part: Part, variables: Sequence[Any], losses: PartLosses) -> List[TowerGradients]:
    towers = setup.training
    site = Site(
        [tower.device for tower in towers],
        [tower.index for tower in towers],
        setup.shares,
        setup.global_step,
        _scope(part),
        setup.strategy.copies,
    )
    prepared = _prepared(setup, part, site, variables)
    scaled = [prepared.scale_loss(loss) for loss in losses.of_towers]
    same = None if losses.same is None else prepared.scale_loss(losses.same)
    of_towers = tower_gradients(towers, scaled, part.optimizer, variables)
    setup.exchange.bind_backward(setup.shares, prepared.reduction.sums)
    once = regularization_gradients(same, part.optimizer, variables)
    # The regularization of activations goes through the same layers, of all towers at once.
    setup.exchange.bind_backward()
    return [_settled(setup, prepared.reduce(of_towers, once))]


def _of_each_tower(setup: Setup, part: Part, variables: Sequence[Any], losses: PartLosses) -> List[TowerGradients]:
    """Returns each tower's own gradients, through a reduction of one tower."""
    result = []
    apart = setup.strategy.updates == "own" and len(setup.training) > 1
    first = None
    for position, (tower, loss) in enumerate(zip(setup.training, losses.of_towers)):
        scope = _scope(part) if position == 0 else "{}/tower_{}".format(_scope(part), tower.index)
        site = Site([tower.device], [tower.index], None, setup.global_step, scope, setup.strategy.copies, apart, first)
        with tf.device(tower.device):
            if setup.counts is not None:
                # 1, or 0 for a tower without a true example: its gradient is of a filled row, and counts as zero.
                site = site._replace(shares=tower_shares([setup.counts[position]], 1))
            prepared = _prepared(setup, part, site, variables)
            of_tower = tower_gradients([tower], [prepared.scale_loss(loss)], part.optimizer, variables)
            result.append(_settled(setup, prepared.reduce(of_tower)))
        if position == 0:
            first = prepared.state
    return result


def _prepared(setup: Setup, part: Part, site: Site, variables: Sequence[Any]) -> Prepared:
    reduction = setup.reduction if part.reduction is None else part.reduction
    # What makes gradients one takes a missing one as an error by itself; the reduction may say otherwise before that.
    if setup.on_missing != "error":
        reduction = chain(missing(setup.on_missing), reduction)
    return prepare(reduction, site, variables)


def _scope(part: Part) -> str:
    return "reduction" if part.name == WHOLE else "reduction/" + part.name


def _settled(setup: Setup, reduced: TowerGradients) -> TowerGradients:
    """Decides on variables for which no tower has a gradient; or not this one, where each applies its own."""
    rows = []
    for row in reduced.rows:
        if all(gradient is None for gradient in row.gradients):
            apart = setup.strategy.updates != "reduced" and len(setup.training) > 1
            tower = reduced.site.towers[0] if apart else None
            row = row._replace(gradients=settle_missing([None], row.variable, setup.on_missing, tower) or [None])
        rows.append(row)
    return reduced._replace(rows=rows)


def after_all(of_parts: Sequence[Sequence[TowerGradients]]) -> List[List[TowerGradients]]:
    """Returns the parts' gradients, of which none is applied before all are computed.

    One part's write must not come before another part's towers have read what it writes.
    """
    if len(of_parts) == 1:
        return [list(of_parts[0])]
    computed = []
    for reduced in [each for of_part in of_parts for each in of_part]:
        gradients = [gradient for row in reduced.rows for gradient in row.gradients if gradient is not None]
        computed += [each.values.op if isinstance(each, tf.IndexedSlices) else each.op for each in gradients]
        # What a reduction hands on may be of an earlier step (`deferred`): this step's is what it keeps beside.
        computed += reduced.beside
    return [[each._replace(beside=tuple(computed)) for each in of_part] for of_part in of_parts]
