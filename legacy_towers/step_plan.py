"""From a built step to its plan: the words and rows that say what was decided."""
from typing import Any, List, Optional, Sequence, Tuple

from legacy_towers.compat import tf
from legacy_towers.plan import VariablePlan
from legacy_towers.towers.regularization import RegularizationTerm
from legacy_towers.towers.replicate import Tower


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
    whole = sum(1 for term in terms if term.missing == 1.0)
    complete = sum(1 for term in terms if term.missing == 0.0)
    parts = []
    if whole:
        parts.append("{} added once to the mean of the towers' losses".format(whole))
    if complete:
        parts.append("{} already in every tower's loss".format(complete))
    for term in terms:
        if 0.0 < term.missing < 1.0:
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
    whose = {"first": "of tower 0", "all": "of every tower, in no fixed order", "mean": "averaged over the towers"}
    return "{} per tower, run {}".format(count, whose[policy])


def describe_summaries(summaries: Sequence[Any], towers: Sequence[Tower], chosen: int) -> str:
    """Returns in words which summaries were kept."""
    if not summaries:
        return "none"
    return "{} of tower {}, without its prefix".format(len(summaries), towers[chosen].index)


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
