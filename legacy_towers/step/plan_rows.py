"""The plan of a built step: its rows and sentences."""
from typing import List, Optional, Sequence

from legacy_towers.cluster.parameter_servers import ParameterServerWorkers
from legacy_towers.cluster.workers import Workers
from legacy_towers.compat import tf
from legacy_towers.gradients.base import GradientRow
from legacy_towers.gradients.named import reduction_from
from legacy_towers.inputs.base import TowerBatches
from legacy_towers.step.asynchronous import is_asynchronous
from legacy_towers.step.objective_gradients import ObjectiveGradients
from legacy_towers.step.plan import ObjectivePlan, Plan, VariablePlan
from legacy_towers.step.setup import Setup
from legacy_towers.tensor_types import Tensor, Variable
from legacy_towers.text.names import counted
from legacy_towers.towers.regularization_losses import RegularizationTerm
from legacy_towers.towers.replicate import Tower
from legacy_towers.towers.summaries import chosen_tower
from legacy_towers.variables import Strategy
from legacy_towers.variables.tower_variables import TowerVariables


def plan_of(setup: Setup, gradients: Sequence[ObjectiveGradients], summaries: str) -> Plan:
    """Returns the plan of a step."""
    strategy = setup.strategy
    terms = [term for objective in gradients for term in objective.losses.terms]
    is_per_tower = strategy.copies or strategy.updates != "reduced"
    return Plan(
        devices=[tower.device for tower in setup.towers],
        input=setup.batches.plan,
        strategy=repr(strategy),
        use_resource=setup.options.use_resource,
        reduction=repr(setup.options.reduction) + (
            "; steps that are not finite are skipped" if setup.options.skip_nonfinite else ""
        ),
        objectives=[_objective_plan(objective) for objective in gradients] if len(gradients) > 1 else [],
        variables=_variable_plans(gradients, setup.variables),
        regularization=_describe_regularization(terms, len(setup.training), is_per_tower),
        update_ops=_describe_update_ops(setup.training, setup.options.update_ops, setup.options.workers),
        summaries=summaries,
        moving_average_decay=setup.options.moving_average_decay,
        validating=[tower.index for tower in setup.validating],
        weights="" if is_asynchronous(strategy) else _describe_weights(setup.batches),
        workers="" if setup.options.workers is None else _describe_workers(
            setup.options.workers, len(setup.training), strategy
        ),
    )


def _variable_plans(gradients: Sequence[ObjectiveGradients], variables: TowerVariables) -> List[VariablePlan]:
    """Returns a row per global variable: trained ones first, in the optimizers' order, then the others by name."""
    rows = []
    seen = set()
    for objective in gradients:
        name = objective.objective.name if len(gradients) > 1 else None
        for row in objective.reduced[0].rows:
            seen.add(row.name)
            rows.append(_variable_plan(row.variable, row, name, variables))
    others = [variable for variable in tf.global_variables() if variable.op.name not in seen]
    others.sort(key=lambda variable: str(variable.op.name))
    return rows + [_variable_plan(variable, None, None, variables) for variable in others]


def _objective_plan(gradients: ObjectiveGradients) -> ObjectivePlan:
    objective = gradients.objective
    return ObjectivePlan(
        objective.name,
        type(objective.optimizer).__name__,
        len(gradients.variables),
        objective.steps,
        None if objective.reduction is None else repr(reduction_from(objective.reduction)),
    )


def _describe_regularization(terms: Sequence[RegularizationTerm], towers: int, is_per_tower: bool) -> str:
    """Returns a sentence on how each regularization loss is counted once.

    Args:
      is_per_tower: whether each tower's loss contains the whole regularization; `terms` are then one tower's.
    """
    if not terms:
        return "none in the collection of regularization losses"
    if is_per_tower:
        return "{} in every tower's loss".format(len(terms))
    of_variables = [term for term in terms if term.of_tower is None]
    added = sum(1 for term in of_variables if not term.towers)
    contained = sum(1 for term in of_variables if len(term.towers) == towers)
    of_examples = len(terms) - len(of_variables)
    phrases = []
    if added:
        phrases.append("{} added once to the mean of the towers' losses".format(added))
    if contained:
        phrases.append("{} already in every tower's loss".format(contained))
    if of_examples:
        phrases.append("{} of a tower's own examples, weighted as the tower's loss".format(of_examples))
    for term in of_variables:
        if 0 < len(term.towers) < towers:
            phrases.append(
                "{} in the loss of {} of {} towers, the rest of it added".format(
                    term.loss.op.name, len(term.towers), towers
                )
            )
    return "; ".join(phrases)


def _describe_workers(workers: Workers, towers: int, strategy: Strategy) -> str:
    """Returns a sentence on the workers of the step."""
    chief = workers.names[0]
    if strategy.updates == "own":
        how = (
            "each tower trains its own copy of the variables, and these are averaged over all workers; loss and "
            "metrics are those of all; initial values are those of {}"
        )
    elif is_asynchronous(strategy):
        how = "each tower applies its own gradients; loss and metrics are those of tower 0; {} initializes variables"
    elif isinstance(workers, ParameterServerWorkers):
        how = (
            "loss, metrics and gradients are those of all, reduced within each worker and then on the parameter servers"
        )
        if workers.backups:
            how += ", without those of the last {}".format(counted(workers.backups, "worker"))
        how += "; {} applies the updates and initializes variables"
    else:
        how = (
            "loss, metrics and gradients are those of all, reduced within each worker and then between them; initial "
            "values are those of {}"
        )
    return "{}, one of {}, each with {} ({} in all); {}".format(
        workers.names[workers.index], workers.size, counted(towers, "tower"), counted(towers * workers.size, "tower"),
        how.format(chief),
    )


def _describe_update_ops(towers: Sequence[Tower], policy: str, workers: Optional[Workers]) -> str:
    count = len(towers[0].collected.update_ops)
    if not count:
        return "none"
    of_all = "" if workers is None else " of all workers"
    whose = {
        "first": "of tower {}{}".format(towers[0].index, "" if workers is None else " of " + workers.names[0]),
        "all": "of every tower, in no fixed order",
        "mean": "averaged over the towers" + of_all,
        "own": "by each tower for itself",
    }
    return "{} per tower, run {}".format(count, whose[policy])


def describe_summaries(summaries: Sequence[Tensor], towers: Sequence[Tower], chosen: int) -> str:
    """Returns a phrase that says how many summaries were kept, and of which tower."""
    if not summaries:
        return "none"
    return "{} of tower {}, without its prefix".format(len(summaries), chosen_tower(towers, chosen).index)


def _describe_weights(batches: TowerBatches) -> str:
    """Returns a sentence on the towers' weights in losses, gradients and metrics; "" if all weigh the same."""
    if batches.counts is None:
        return ""
    rest = "; copies that fill a batch are left out of its loss and metrics" if batches.padded else ""
    return "each tower is weighted by its true examples in the step" + rest


def _variable_plan(
    variable: Variable, row: Optional[GradientRow], objective: Optional[str], variables: TowerVariables
) -> VariablePlan:
    known = variable.shape.is_fully_defined()
    gradient = None if row is None else row.gradients[0]
    kind = None
    if gradient is not None:
        kind = "sparse" if isinstance(gradient, tf.IndexedSlices) else "dense"
    has_gradient = row is not None and gradient is not None
    return VariablePlan(
        name=str(variable.op.name),
        shape=variable.shape.as_list(),
        dtype=variable.dtype.base_dtype.name,
        bytes=variable.shape.num_elements() * variable.dtype.base_dtype.size if known else None,
        device=variable.device or "",
        trainable=any(variable is each for each in tf.trainable_variables()),
        gradient=kind,
        reduced_by=row.reduced_by or None if row is not None and has_gradient else None,
        reduced_on=row.reduced_on or None if row is not None and has_gradient else None,
        bucket=row.bucket if row is not None else None,
        objective=objective,
        copies=[copy.device or "" for copy in variables.copies_of(variable)],
    )
