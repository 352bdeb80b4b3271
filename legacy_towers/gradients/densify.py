"""Sparse gradients made dense, on request."""
from typing import Any, List, Optional

from legacy_towers.compat import tf
from legacy_towers.gradients.base import GradientRow, Reduction, TowerGradients


class Densify(Reduction):
    """Makes sparse gradients dense; see `densify`."""

    kind = "form"
    needs_whole = False

    def update(self, gradients: TowerGradients, state: Any) -> TowerGradients:
        return gradients._replace(rows=[_dense(row) for row in gradients.rows])

    def __repr__(self) -> str:
        return "densify()"


def densify() -> Densify:
    """Returns the reduction that makes sparse gradients (IndexedSlices) dense, each on the device that it is on.

        a table T of 4 rows, of which the tower used 3 twice and 0 once

        T  rows 3: a, 3: b, 0: c     ->      T  [c  0  0  a+b]

    In front of what makes the towers' gradients one, as in chain(densify(), mean()), each tower's become dense: worth
    it for a small table of which every tower uses most rows, or where some towers' are dense. Behind it the result
    does. An optimizer then treats all rows alike: momentum and decay go on for rows that no example used. Nothing else
    in this package makes a sparse gradient dense, but for one to which a regularization is added.
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


def _with_static_shape(gradient: Any, variable: Optional[Any]) -> Any:
    # The shape of slices is a tensor; without it a reduction behind would not know the bytes.
    if variable is not None:
        gradient.set_shape(variable.shape)
    return gradient
