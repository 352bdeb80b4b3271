"""`missing`: what happens if some tower has no gradient for a variable."""
from typing import Any, List, Optional, Sequence

from legacy_towers.compat import tf
from legacy_towers.errors import ArgumentError, TowerError
from legacy_towers.gradients.base import GradientRow, Reduction, ReductionTraits, TowerGradients
from legacy_towers.specs.reductions import ON_MISSING
from legacy_towers.tensor_types import Gradient, Variable
from legacy_towers.text.names import quoted


def check_on_missing(on_missing: str) -> None:
    """Raises ArgumentError if `on_missing` is not one of the known policies."""
    if on_missing not in ON_MISSING:
        raise ArgumentError(
            "on_missing is {!r}: allowed are {}".format(on_missing, quoted(ON_MISSING))
        )


def settle_missing(
    gradients: Sequence[Optional[Gradient]], variable: Variable, on_missing: str, tower: Optional[int] = None
) -> List[Gradient]:
    """Returns one variable's gradients without None, by the policy `on_missing`.

    Args:
      gradients: one tensor, IndexedSlices or None per tower.
      on_missing: "error"; "zeros": a missing gradient becomes zero, and the mean still divides by all towers; "drop":
        an empty list is returned as soon as one tower has no gradient.
      tower: the index of the tower, if the gradients are of one of several towers that apply their own.

    Raises:
      TowerError: a gradient is missing and `on_missing` is "error"; names the variable and the towers.
    """
    missing = [index for index, gradient in enumerate(gradients) if gradient is None]
    if not missing:
        return list(gradients)
    if on_missing == "drop":
        return []
    if on_missing == "zeros":
        return [_zeros_like(variable, gradients) if gradient is None else gradient for gradient in gradients]
    if len(missing) < len(gradients):
        raise TowerError(_some_missing(gradients, variable.op.name, range(len(gradients))))
    subject = "no tower has a" if tower is None else "tower {} has no".format(tower)
    raise TowerError(
        "{} gradient for {!r}: the loss does not depend on it. Create it with trainable=False, or exclude "
        'it by var_list=[...] or on_missing="drop"'.format(subject, variable.op.name)
    )


class Missing(Reduction):
    """Replaces missing gradients by a policy; see `missing`."""

    traits = ReductionTraits(needs_regularization=False)

    def __init__(self, on_missing: str) -> None:
        check_on_missing(on_missing)
        self.on_missing = on_missing

    def update(self, gradients: TowerGradients, state: Any) -> TowerGradients:
        towers = gradients.context.towers
        return gradients._replace(rows=[self._settled(row, towers) for row in gradients.rows])

    def _settled(self, row: GradientRow, towers: Sequence[int]) -> GradientRow:
        missing_count = sum(gradient is None for gradient in row.gradients)
        if not 0 < missing_count < len(row.gradients):
            return row
        if self.on_missing == "error":
            check_none_missing(row, towers)
        if self.on_missing == "drop":
            return row._replace(gradients=[None] * len(row.gradients))
        return row._replace(gradients=settle_missing(row.gradients, row.variable, self.on_missing))

    def __repr__(self) -> str:
        return "missing({!r})".format(self.on_missing)


def missing(on_missing: str = "error") -> Missing:
    """Returns the reduction that handles variables for which only some towers have a gradient.

        2 towers, variables A B C      "zeros"               "drop"              "error"
        A0    B0    None               A0    B0    None      A0    None  None    an error that names B and tower 1
        A1    None  None       ->      A1    0     None      A1    None  None

    Put it before the reduction to one: chain(missing("zeros"), mean()). The mean then still divides by the number of
    all towers. The zeros of a sparse gradient are IndexedSlices without rows. A variable without a gradient in any
    tower (C here) is left as it is, and so are gradients that are reduced already.

    Args:
      on_missing: "error", "zeros" (a missing gradient counts as zero) or "drop" (the variable is not updated).

    Raises:
      ArgumentError: `on_missing` is none of these.
      TowerError: (when it runs) a gradient is missing and `on_missing` is "error"; names the variable and the towers.
    """
    return Missing(on_missing)


def check_none_missing(row: GradientRow, towers: Sequence[int]) -> None:
    """Raises TowerError, which names the variable and the towers, if only some of `towers` have a gradient."""
    if any(gradient is None for gradient in row.gradients):
        raise TowerError(_some_missing(row.gradients, row.name, towers))


def _some_missing(gradients: Sequence[Optional[Gradient]], name: str, towers: Sequence[int]) -> str:
    without = [tower for tower, gradient in zip(towers, gradients) if gradient is None]
    having = [tower for tower, gradient in zip(towers, gradients) if gradient is not None]
    return (
        '{} no gradient for {!r} ({} one): is a branch skipped there? If this is intended, put '
        'lt.gradients.missing("zeros") before the reduction, as in lt.gradients.chain(lt.gradients.missing("zeros"), '
        'lt.gradients.mean()), or pass '
        'on_missing="zeros" to lt.build_train_step or lt.average_gradients'.format(
            _towers(without, "has", "have"), name, _towers(having, "has", "have")
        )
    )


def _zeros_like(variable: Variable, gradients: Sequence[Optional[Gradient]]) -> Any:
    dtype = variable.dtype.base_dtype
    is_known = variable.shape.is_fully_defined()
    shape = variable.shape.as_list() if is_known else tf.shape(variable)
    if any(isinstance(gradient, tf.IndexedSlices) for gradient in gradients):
        no_row = [0] + shape[1:] if is_known else tf.concat([[0], shape[1:]], axis=0)
        return tf.IndexedSlices(tf.zeros(no_row, dtype), tf.zeros([0], tf.int64), shape)
    return tf.zeros(shape, dtype)


def _towers(indices: Sequence[int], singular: str, plural: str) -> str:
    if len(indices) == 1:
        return "tower {} {}".format(indices[0], singular)
    listed = ", ".join(map(str, indices[:-1])) + " and {}".format(indices[-1])
    return "towers {} {}".format(listed, plural)
