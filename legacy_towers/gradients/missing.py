"""Variables for which some tower has no gradient."""
from typing import Any, List, Optional, Sequence

from legacy_towers.compat import tf
from legacy_towers.errors import ArgumentError, TowerError
from legacy_towers.gradients.base import GradientRow, Reduction, TowerGradients
from legacy_towers.names import quoted

ON_MISSING = ("error", "zeros", "drop")


def check_on_missing(on_missing: str) -> None:
    """Raises ArgumentError if `on_missing` is not one of the known policies."""
    if on_missing not in ON_MISSING:
        raise ArgumentError(
            "on_missing is {!r}: allowed are {}".format(on_missing, quoted(ON_MISSING))
        )


def settle_missing(
    gradients: Sequence[Optional[Any]], variable: Any, on_missing: str, tower: Optional[int] = None
) -> List[Any]:
    """Returns one variable's gradients, of all towers or of those that count, without any None.

    Args:
      gradients: one tensor, IndexedSlices or None per tower.
      variable: the variable.
      on_missing: what a None means. "error"; "zeros": the tower's gradient is zero, and the mean still divides by all
        towers; "drop": the variable is dropped (an empty list is returned) as soon as one tower lacks its gradient.
      tower: whose gradients these are, where they are of one of several towers that apply their own.

    Raises:
      TowerError: names the variable and the towers, if `on_missing` is "error".
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
    whose = "no tower has a" if tower is None else "tower {} has no".format(tower)
    raise TowerError(
        "{} gradient for {!r}: the loss does not depend on it. Make it with trainable=False, or leave it "
        'as it is by var_list=[...] without it or on_missing="drop"'.format(whose, variable.op.name)
    )


class Missing(Reduction):
    """Says what a missing gradient means; see `missing`."""

    needs_whole = False

    def __init__(self, on_missing: str) -> None:
        check_on_missing(on_missing)
        self.on_missing = on_missing

    def update(self, gradients: TowerGradients, state: Any) -> TowerGradients:
        towers = gradients.site.towers
        return gradients._replace(rows=[self._settled(row, towers) for row in gradients.rows])

    def _settled(self, row: GradientRow, towers: Sequence[int]) -> GradientRow:
        lacking = sum(gradient is None for gradient in row.gradients)
        if not 0 < lacking < len(row.gradients):
            return row
        if self.on_missing == "error":
            check_none_missing(row, towers)
        if self.on_missing == "drop":
            return row._replace(gradients=[None] * len(row.gradients))
        return row._replace(gradients=settle_missing(row.gradients, row.variable, self.on_missing))

    def __repr__(self) -> str:
        return "missing({!r})".format(self.on_missing)


def missing(on_missing: str = "error") -> Missing:
    """Returns the reduction that says what it means when only some towers have a gradient for a variable.

        2 towers, variables A B C      "zeros"               "drop"              "error"
        A0    B0    None               A0    B0    None      A0    None  None    an error that names B and tower 1
        A1    None  None       ->      A1    0     None      A1    None  None

    It goes in front of what makes the gradients one: chain(missing("zeros"), mean()). The mean then still divides by
    all towers. Zeros beside sparse gradients are slices without a row. A variable that has no gradient in any tower,
    C here, is left as it is; so is everything where the gradients are one already.

    Args:
      on_missing: "error", "zeros" (the tower counts with a gradient of zero) or "drop" (the variable is left as it is).

    Raises:
      ArgumentError: no such policy.
      TowerError: (when it runs) a gradient is missing, under "error"; names the variable and the towers.
    """
    return Missing(on_missing)


def check_none_missing(row: GradientRow, towers: Sequence[int]) -> None:
    """Raises TowerError, which names variable and towers, if only some of `towers` have a gradient."""
    if any(gradient is None for gradient in row.gradients):
        raise TowerError(_some_missing(row.gradients, row.name, towers))


def _some_missing(gradients: Sequence[Optional[Any]], name: str, towers: Sequence[int]) -> str:
    lack = [tower for tower, gradient in zip(towers, gradients) if gradient is None]
    have = [tower for tower, gradient in zip(towers, gradients) if gradient is not None]
    return (
        '{} no gradient for {!r} ({} one): is a branch skipped there? If it is meant, put lt.gradients.missing("zeros")'
        ' in front, as in lt.gradients.chain(lt.gradients.missing("zeros"), lt.gradients.mean()), or give '
        'lt.build_train_step or lt.average_gradients on_missing="zeros"'.format(
            _towers(lack, "has", "have"), name, _towers(have, "has", "have")
        )
    )


def _zeros_like(variable: Any, gradients: Sequence[Optional[Any]]) -> Any:
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
