"""From the towers' losses to gradients that can be applied: reduced over the towers, or each tower's own."""
from typing import Any, List, NamedTuple, Optional, Sequence

from legacy_towers.cluster.messages import FusedVector
from legacy_towers.compat import tf
from legacy_towers.errors import TowerError
from legacy_towers.gradients.base import ReductionContext, TowerGradients
from legacy_towers.gradients.chain import chain
from legacy_towers.gradients.named import reduction_from
from legacy_towers.gradients.reduce import PreparedReduction, prepare
from legacy_towers.gradients.regularization import regularization_gradients
from legacy_towers.gradients.tower_weights import normalized_tower_weights, weighted_mean
from legacy_towers.gradients.transforms.missing import missing, settle_missing
from legacy_towers.graph import walk
from legacy_towers.step.objectives import Objective
from legacy_towers.step.setup import Setup
from legacy_towers.tensor_types import GradientPairs, Optimizer, Tensor, Variable
from legacy_towers.text.names import quoted
from legacy_towers.towers.output import WHOLE
from legacy_towers.towers.regularization_losses import RegularizationTerm, missing_regularization, regularization_terms
from legacy_towers.towers.replicate import Tower


class ObjectiveLosses(NamedTuple):
    """What an objective's gradients are computed of.

    Attributes:
      of_towers: scalar tensor per training tower.
      regularization: scalar tensor to be added once to the mean of `of_towers`; None if they are complete.
      terms: the regularization losses of the objective's variables.
    """

    of_towers: List[Tensor]
    regularization: Optional[Tensor]
    terms: List[RegularizationTerm]

    def over_towers(self, tower_weights: Optional[Sequence[Any]]) -> Tensor:
        """Returns the objective's loss over all towers of this process, a scalar tensor."""
        loss = weighted_mean(self.of_towers, tower_weights)
        return loss if self.regularization is None else loss + self.regularization


def objective_losses(
    setup: Setup, objective: Objective, variables: Sequence[Variable], is_alone: bool
) -> ObjectiveLosses:
    """Returns an objective's losses as its gradients need them: complete, or with a part to be added once."""
    complete = own_losses if setup.strategy.updates != "reduced" or setup.strategy.copies else shared_losses
    return complete(setup, objective.name, variables, is_alone)


def shared_losses(setup: Setup, name: str, variables: Sequence[Variable], is_alone: bool) -> ObjectiveLosses:
    """Returns the losses of towers that share their variables.

    The regularization that their mean does not contain is kept beside them, to be added once.
    """
    losses = [tower.losses[name] for tower in setup.training]
    terms = regularization_terms(
        losses,
        _of_variables(setup.regularization_losses, variables, is_alone),
        [tower.collected.regularization_losses for tower in setup.training],
        setup.tower_weights,
        [tower.examples.batch for tower in setup.training],
        [tower.examples.batch for tower in setup.validating],
    )
    _check_no_padding(setup, terms)
    return ObjectiveLosses(losses, missing_regularization(terms, losses[0].dtype), terms)


def own_losses(setup: Setup, name: str, variables: Sequence[Variable], is_alone: bool) -> ObjectiveLosses:
    """Returns the losses of towers that apply their own gradients, or have their own copies of the variables.

    Each contains the whole regularization.
    """
    by_towers = {id(loss) for tower in setup.towers for loss in tower.collected.regularization_losses}
    outside = [loss for loss in setup.regularization_losses if id(loss) not in by_towers]
    completed, terms = [], []
    for tower in setup.training:
        of_tower = tower.collected.regularization_losses
        # Where variables are shared, tower 0's model function created the regularization losses of all of them.
        created = of_tower if setup.strategy.copies else setup.training[0].collected.regularization_losses
        own = [tower.variables.own(tower.index, variable) for variable in variables]
        candidates = _of_variables(outside + list(created), own, is_alone)
        others = [other.examples.batch for other in setup.towers if other is not tower]
        found = regularization_terms(
            [tower.losses[name]], candidates, [created], None, [tower.examples.batch], others
        )
        if tower is setup.training[0]:
            terms = found
        _check_no_padding(setup, found)
        completed.append(_plus(tower, tower.losses[name], missing_regularization(found, tower.losses[name].dtype)))
    return ObjectiveLosses(completed, None, terms)


def _plus(tower: Tower, loss: Tensor, regularization: Optional[Tensor]) -> Tensor:
    if regularization is None:
        return loss
    with tf.device(tower.placer), tf.name_scope(tower.scope):
        return tf.add(loss, regularization, name="regularized_loss")


def _of_variables(losses: Sequence[Tensor], variables: Sequence[Variable], is_alone: bool) -> List[Tensor]:
    """Returns the losses that depend on one of the variables; all of them for a single objective."""
    if is_alone:
        return list(losses)
    operations = {variable.op for variable in variables}
    return [loss for loss in losses if not walk.ancestors([loss.op]).isdisjoint(operations)]


def _check_no_padding(setup: Setup, terms: Sequence[RegularizationTerm]) -> None:
    """Raises TowerError where a regularization loss of examples would contain the copies that fill a batch."""
    if not setup.batches.padded:
        return
    for term in terms:
        if term.of_tower is not None:
            raise TowerError(
                'the regularization loss {!r} is computed of the examples of tower {}: remainder="pad" fills the last '
                'batch with copies, which it would contain. Use remainder="short", or make it part of a loss per '
                "example".format(term.loss.op.name, setup.training[term.of_tower].index)
            )


class ObjectiveGradients(NamedTuple):
    """One objective's gradients, ready to be applied.

    Attributes:
      losses: what the gradients were computed of.
      loss: scalar tensor, the objective's loss over all towers.
      reduced: the gradients: one entry; where each tower applies its own, one entry per tower.
    """

    objective: Objective
    variables: List[Variable]
    losses: ObjectiveLosses
    loss: Tensor
    reduced: List[TowerGradients]


def objective_gradients(
    setup: Setup,
    objective: Objective,
    variables: Sequence[Variable],
    losses: ObjectiveLosses,
    loss: Tensor,
    fused: Optional[FusedVector] = None,
) -> ObjectiveGradients:
    """Returns an objective's gradients as the strategy applies them: reduced over the towers, or each tower's own.

    Args:
      losses: the result of `objective_losses`.
      loss: scalar tensor, the objective's loss over all towers of this process.
      fused: what the workers of a cluster sum in the message of these gradients; None for nothing.
    """
    if setup.strategy.updates == "reduced":
        reduced = _reduced_gradients(setup, objective, variables, losses, fused)
    else:
        reduced = _own_gradients(setup, objective, variables, losses)
    return ObjectiveGradients(objective, list(variables), losses, loss, reduced)


def _reduced_gradients(
    setup: Setup,
    objective: Objective,
    variables: Sequence[Variable],
    losses: ObjectiveLosses,
    fused: Optional[FusedVector],
) -> List[TowerGradients]:
    """Returns the towers' gradients, reduced to one per variable."""
    towers = setup.training
    context = ReductionContext(
        [tower.device for tower in towers],
        [tower.index for tower in towers],
        setup.tower_weights,
        setup.global_step,
        _scope(objective),
        setup.strategy.copies,
        workers=setup.options.workers,
        fused=fused,
    )
    prepared = _prepare(setup, objective, context, variables)
    scaled = [prepared.scale_loss(loss) for loss in losses.of_towers]
    regularization = None if losses.regularization is None else prepared.scale_loss(losses.regularization)
    with setup.cross_tower.gradients(setup.tower_weights, prepared.reduction.traits.sums):
        of_towers = _tower_gradients(towers, scaled, objective.optimizer, variables)
    if losses.regularization is None:
        _check_some(setup, of_towers, variables)
    # A regularization of activations depends on cross-tower layers too, on those of all towers at once.
    with setup.cross_tower.gradients():
        of_regularization = regularization_gradients(regularization, objective.optimizer, variables)
    return [_with_missing(setup, prepared.reduce(of_towers, of_regularization))]


def _own_gradients(
    setup: Setup, objective: Objective, variables: Sequence[Variable], losses: ObjectiveLosses
) -> List[TowerGradients]:
    """Returns each tower's own gradients, each passed through a reduction over this tower alone."""
    result = []
    is_one_of_several = setup.strategy.updates == "own" and len(setup.training) > 1
    first = None
    for position, (tower, loss) in enumerate(zip(setup.training, losses.of_towers)):
        scope = _scope(objective) if position == 0 else "{}/tower_{}".format(_scope(objective), tower.index)
        context = ReductionContext(
            [tower.device],
            [tower.index],
            None,
            setup.global_step,
            scope,
            setup.strategy.copies,
            is_one_of_several,
            first,
        )
        with tf.device(tower.device):
            if setup.counts is not None:
                # 1; or 0 for a tower without a true example: its gradient, of a filled row, counts as zero.
                context = context._replace(tower_weights=normalized_tower_weights([setup.counts[position]], 1))
            prepared = _prepare(setup, objective, context, variables)
            of_tower = _tower_gradients([tower], [prepared.scale_loss(loss)], objective.optimizer, variables)
            if losses.regularization is None:
                _check_some(setup, of_tower, variables)
            result.append(_with_missing(setup, prepared.reduce(of_tower)))
        if position == 0:
            first = prepared.state
    return result


def _tower_gradients(
    towers: Sequence[Tower], losses: Sequence[Tensor], optimizer: Optimizer, variables: Sequence[Variable]
) -> List[GradientPairs]:
    """Returns, per tower, (gradient or None, variable) pairs, in the order of `variables`.

    Where each tower has copies of the variables, a tower's gradient is that of its own copy.

    Args:
      variables: the variables; where towers have copies, those with the plain names.
    """
    gradients = []
    for tower, loss in zip(towers, losses):
        own = [tower.variables.own(tower.index, variable) for variable in variables]
        with tf.device(tower.placer), tf.name_scope(tower.scope):
            pairs = optimizer.compute_gradients(loss, var_list=own)
        of_own = {id(variable): gradient for gradient, variable in pairs}
        gradients.append([(of_own.get(id(copy)), variable) for copy, variable in zip(own, variables)])
    return gradients


def _check_some(setup: Setup, gradients: Sequence[GradientPairs], variables: Sequence[Variable]) -> None:
    """Raises TowerError where `on_missing` would let a step pass in which no variable has a gradient."""
    if setup.options.on_missing != "error" and not any(
        gradient is not None for of_tower in gradients for gradient, _ in of_tower
    ):
        raise TowerError(
            "no variable has a gradient, so that nothing would be trained: the loss depends on none of {}".format(
                quoted(variable.op.name for variable in variables)
            )
        )


def _prepare(
    setup: Setup, objective: Objective, context: ReductionContext, variables: Sequence[Variable]
) -> PreparedReduction:
    reduction = setup.options.reduction if objective.reduction is None else reduction_from(objective.reduction)
    # A reduction rejects missing gradients, so `on_missing` is applied before it.
    if setup.options.on_missing != "error":
        reduction = chain(missing(setup.options.on_missing), reduction)
    return prepare(reduction, context, variables)


def _scope(objective: Objective) -> str:
    return "reduction" if objective.name == WHOLE else "reduction/" + objective.name


def _with_missing(setup: Setup, reduced: TowerGradients) -> TowerGradients:
    """Returns the gradients, with `on_missing` applied to variables that have no gradient at all.

    No tower has one; or, where each tower applies its own, this tower has none.
    """
    rows = []
    for row in reduced.rows:
        if all(gradient is None for gradient in row.gradients):
            applies_own = setup.strategy.updates != "reduced" and len(setup.training) > 1
            tower = reduced.context.towers[0] if applies_own else None
            settled = settle_missing([None], row.variable, setup.options.on_missing, tower)
            row = row._replace(gradients=settled or [None])
        rows.append(row)
    return reduced._replace(rows=rows)


def after_all(of_objectives: Sequence[Sequence[TowerGradients]]) -> List[List[TowerGradients]]:
    """Returns the objectives' gradients such that none is applied before all are computed.

    Otherwise one objective's update could write a variable that another objective's towers have still to read.
    """
    if len(of_objectives) == 1:
        return [list(of_objectives[0])]
    computed = []
    for reduced in [each for of_objective in of_objectives for each in of_objective]:
        gradients = [gradient for row in reduced.rows for gradient in row.gradients if gradient is not None]
        computed += [each.values.op if isinstance(each, tf.IndexedSlices) else each.op for each in gradients]
        # A reduction may return the gradients of an earlier step (`delayed`): this step's are those that it stores.
        computed += reduced.unconditional_ops
    return [
        [each._replace(unconditional_ops=tuple(computed)) for each in of_objective] for of_objective in of_objectives
    ]
