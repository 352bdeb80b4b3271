"""From a built step to its plan: the words and rows that say what was decided."""
from typing import Any, List, Optional, Sequence

from legacy_towers.compat import tf
from legacy_towers.gradients.base import GradientRow, as_reduction
from legacy_towers.inputs.base import TowerBatches
from legacy_towers.plan import PartPlan, Plan, VariablePlan
from legacy_towers.step.apart import run_apart
from legacy_towers.step.part_gradients import PartGradients
from legacy_towers.step.setup import Setup
from legacy_towers.towers.regularization import RegularizationTerm
from legacy_towers.towers.replicate import Tower
from legacy_towers.towers.summaries import chosen_tower
from legacy_towers.variables.copies import TowerVariables


def plan_of(
    setup: Setup,
    gradients: Sequence[PartGradients],
    variable_kind: str,
    summaries: str,
    moving_average_decay: Optional[float],
) -> Plan:
    """Returns the plan of a step.

    Args:
      setup: what its parts share.
      gradients: of each part.
      variable_kind: "resource" or "ref".
      summaries: which were kept, in words.
      moving_average_decay: of the trained variables; None without averages.
    """
    strategy = setup.strategy
    terms = [term for part in gradients for term in part.losses.terms]
    is_each_towers = strategy.copies or strategy.updates != "reduced"
    return Plan(
        devices=[tower.device for tower in setup.towers],
        input=setup.batches.plan,
        strategy=repr(strategy),
        variable_kind=variable_kind,
        reduction=repr(setup.reduction),
        parts=[_part_plan(part) for part in gradients] if len(gradients) > 1 else [],
        variables=_variable_plans(gradients, setup.variables),
        regularization=_describe_regularization(terms, len(setup.training), is_each_towers),
        update_ops=_describe_update_ops(setup.training, setup.update_ops),
        summaries=summaries,
        moving_average_decay=moving_average_decay,
        validating=[tower.index for tower in setup.validating],
        weights="" if run_apart(strategy) else _describe_weights(setup.batches),
    )


def _variable_plans(gradients: Sequence[PartGradients], variables: TowerVariables) -> List[VariablePlan]:
    """Returns a row per global variable: what is trained first, in the optimizers' order, then the rest by name.

    Args:
      gradients: of each part.
      variables: tells which variables have copies.
    """
    rows = []
    seen = set()
    for of_part in gradients:
        part = of_part.part.name if len(gradients) > 1 else None
        for row in of_part.reduced[0].rows:
            seen.add(row.name)
            rows.append(_row(row.variable, row, part, variables))
    others = [variable for variable in tf.global_variables() if variable.op.name not in seen]
    others.sort(key=lambda variable: str(variable.op.name))
    return rows + [_row(variable, None, None, variables) for variable in others]


def _part_plan(gradients: PartGradients) -> PartPlan:
    """Returns what was decided for one part of several."""
    part = gradients.part
    reduction = None if part.reduction is None else repr(as_reduction(part.reduction))
    return PartPlan(part.name, type(part.optimizer).__name__, len(gradients.variables), part.steps, reduction)


def _describe_regularization(terms: Sequence[RegularizationTerm], towers: int, is_each_towers: bool) -> str:
    """Returns in words how each regularization loss comes to count once.

    Args:
      terms: what concerns the step.
      towers: how many train.
      is_each_towers: whether each tower's loss was completed for itself; `terms` then tells of one tower.
    """
    if not terms:
        return "none in the collection of regularization losses"
    if is_each_towers:
        return "{} in every tower's loss".format(len(terms))
    of_variables = [term for term in terms if term.of_tower is None]
    whole = sum(1 for term in of_variables if not term.towers)
    complete = sum(1 for term in of_variables if len(term.towers) == towers)
    parts = []
    if whole:
        parts.append("{} added once to the mean of the towers' losses".format(whole))
    if complete:
        parts.append("{} already in every tower's loss".format(complete))
    of_examples = len(terms) - len(of_variables)
    if of_examples:
        parts.append("{} of a tower's own examples, weighed as the tower's loss".format(of_examples))
    for term in of_variables:
        if 0 < len(term.towers) < towers:
            parts.append(
                "{} in the loss of {} of {} towers, the rest of it added".format(
                    term.loss.op.name, len(term.towers), towers
                )
            )
    return "; ".join(parts)


def _describe_update_ops(towers: Sequence[Tower], policy: str) -> str:
    """Returns in words whose update ops run."""
    count = len(towers[0].collected.update_ops)
    if not count:
        return "none"
    whose = {
        "first": "of tower {}".format(towers[0].index),
        "all": "of every tower, in no fixed order",
        "mean": "averaged over the towers",
        "own": "by each tower for itself",
    }
    return "{} per tower, run {}".format(count, whose[policy])


def describe_summaries(summaries: Sequence[Any], towers: Sequence[Tower], chosen: int) -> str:
    """Returns in words which summaries were kept."""
    if not summaries:
        return "none"
    return "{} of tower {}, without its prefix".format(len(summaries), chosen_tower(towers, chosen).index)


def _describe_weights(batches: TowerBatches) -> str:
    """Returns in words what each tower counts in losses, gradients and metrics; "" if all count the same."""
    if batches.counts is None:
        return ""
    rest = "; copies that fill a batch are left out of its loss and metrics" if batches.padded else ""
    return "each tower weighs by its true examples in the step" + rest


def _row(variable: Any, row: Optional[GradientRow], part: Optional[str], variables: TowerVariables) -> VariablePlan:
    known = variable.shape.is_fully_defined()
    gradient = None if row is None else row.gradients[0]
    kind = None
    if gradient is not None:
        kind = "sparse" if isinstance(gradient, tf.IndexedSlices) else "dense"
    has_one = row is not None and gradient is not None
    return VariablePlan(
        name=str(variable.op.name),
        shape=variable.shape.as_list(),
        dtype=variable.dtype.base_dtype.name,
        bytes=variable.shape.num_elements() * variable.dtype.base_dtype.size if known else None,
        device=variable.device or "",
        trainable=any(variable is each for each in tf.trainable_variables()),
        gradient=kind,
        reduced_by=row.how or None if row is not None and has_one else None,
        reduced_on=row.where or None if row is not None and has_one else None,
        bucket=row.bucket if row is not None else None,
        part=part,
        copies=[copy.device or "" for copy in variables.copies_of(variable)],
    )
