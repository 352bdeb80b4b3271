"""From a built step to its plan: the words and rows that say what was decided."""
from typing import Any, List, Optional, Sequence, Tuple

from legacy_towers.compat import tf
from legacy_towers.inputs.base import TowerBatches
from legacy_towers.plan import VariablePlan
from legacy_towers.towers.regularization import RegularizationTerm
from legacy_towers.towers.replicate import Tower
from legacy_towers.towers.summaries import chosen_tower


def variable_plans(
    averaged: Sequence[Tuple[Optional[Any], Any]], applied: Sequence[Tuple[Optional[Any], Any]]
) -> List[VariablePlan]:
    """Returns a row per global variable: the optimizer's first, in its order, then the rest by name.

    Args:
      averaged: (mean of the towers' gradients, variable).
      applied: (gradient as applied, variable), in the same order.
    """
    rows = []
    seen = set()
    for (mean, variable), (gradient, _) in zip(averaged, applied):
        seen.add(variable.op.name)
        rows.append(_row(variable, gradient, mean))
    others = [variable for variable in tf.global_variables() if variable.op.name not in seen]
    return rows + [_row(variable, None, None) for variable in sorted(others, key=lambda each: str(each.op.name))]


def describe_regularization(terms: Sequence[RegularizationTerm], towers: int) -> str:
    """Returns in words how each regularization loss comes to count once."""
    if not terms:
        return "none in the collection of regularization losses"
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


def describe_update_ops(towers: Sequence[Tower], policy: str) -> str:
    """Returns in words whose update ops run."""
    count = len(towers[0].collected.update_ops)
    if not count:
        return "none"
    whose = {
        "first": "of tower {}".format(towers[0].index),
        "all": "of every tower, in no fixed order",
        "mean": "averaged over the towers",
    }
    return "{} per tower, run {}".format(count, whose[policy])


def describe_summaries(summaries: Sequence[Any], towers: Sequence[Tower], chosen: int) -> str:
    """Returns in words which summaries were kept."""
    if not summaries:
        return "none"
    return "{} of tower {}, without its prefix".format(len(summaries), chosen_tower(towers, chosen).index)


def describe_weights(batches: TowerBatches) -> str:
    """Returns in words what each tower counts in losses, gradients and metrics; "" if all count the same."""
    if batches.counts is None:
        return ""
    rest = "; copies that fill a batch are left out of its loss and metrics" if batches.padded else ""
    return "each tower weighs by its true examples in the step" + rest


def _row(variable: Any, gradient: Optional[Any], mean: Optional[Any]) -> VariablePlan:
    shape = variable.shape.as_list()
    known = variable.shape.is_fully_defined()
    kind = None
    if gradient is not None:
        kind = "sparse" if isinstance(gradient, tf.IndexedSlices) else "dense"
    return VariablePlan(
        name=str(variable.op.name),
        shape=shape,
        dtype=variable.dtype.base_dtype.name,
        bytes=variable.shape.num_elements() * variable.dtype.base_dtype.size if known else None,
        device=variable.device or "",
        trainable=any(variable is each for each in tf.trainable_variables()),
        gradient=kind,
        averaged_on=(mean.device or None) if mean is not None else None,
    )
