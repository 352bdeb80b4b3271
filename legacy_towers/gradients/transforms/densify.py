"""`densify`: sparse gradients converted to dense ones."""
from typing import Any, List, Optional

from legacy_towers.compat import tf
from legacy_towers.gradients.base import GradientRow, Reduction, ReductionTraits, TowerGradients
from legacy_towers.tensor_types import Gradient


class Densify(Reduction):
    """Makes sparse gradients dense; see `densify`."""

    traits = ReductionTraits(kind="form", needs_regularization=False)

    def update(self, gradients: TowerGradients, state: Any) -> TowerGradients:
        return gradients._replace(rows=[_dense(row) for row in gradients.rows])

    def __repr__(self) -> str:
        return "densify()"


def densify() -> Densify:
    """Returns the reduction that converts sparse gradients (IndexedSlices) to dense ones, each on its own device.

        a table T of 4 rows, of which the tower used row 3 twice and row 0 once

        T  rows 3: a, 3: b, 0: c     ->      T  [c  0  0  a+b]

    Before the reduction to one, as in chain(densify(), mean()), it converts each tower's gradients: useful for a small
    table of which every tower uses most rows, or if some towers' gradients are dense. After it the result is converted.
    An optimizer then updates all rows: momentum and decay also act on rows that no example used. Apart from this
    reduction, only a gradient that a regularization is added to becomes dense.
    """
    return Densify()


def _dense(row: GradientRow) -> GradientRow:
    dense: List[Optional[Any]] = []
    for gradient in row.gradients:
        if isinstance(gradient, tf.IndexedSlices):
            with tf.device(gradient.values.device):
                gradient = _with_static_shape(tf.convert_to_tensor(gradient), row.variable)
        dense.append(gradient)
    return row._replace(gradients=dense)


def _with_static_shape(gradient: Gradient, variable: Optional[Any]) -> Any:
    # The dense shape of IndexedSlices is a tensor; later reductions use the static shape to count bytes.
    if variable is not None:
        gradient.set_shape(variable.shape)
    return gradient
