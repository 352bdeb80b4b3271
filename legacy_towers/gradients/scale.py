"""Gradients times a factor."""
from typing import Any, Union

from legacy_towers.compat import tf
from legacy_towers.gradients.base import GradientRow, Reduction, TowerGradients
from legacy_towers.gradients.each import changed, check_scalar, values_of, with_values
from legacy_towers.gradients.shares import times


class Scale(Reduction):
    """See `scale`."""

    def __init__(self, factor: Union[float, Any]) -> None:
        check_scalar(factor, "factor", "scale()")
        self.factor = factor

    def update(self, gradients: TowerGradients, state: Any) -> TowerGradients:
        def scale_one(gradient: Any, row: GradientRow, position: int) -> Any:
            return with_values(gradient, times(values_of(gradient), self.factor))

        with tf.name_scope(gradients.site.scope + "/"):
            return changed(gradients, scale_one)

    def __repr__(self) -> str:
        return "scale({!r})".format(self.factor)


def scale(factor: Union[float, Any]) -> Scale:
    """Returns the reduction that multiplies every gradient by a factor; its dtype stays.

    Args:
      factor: a finite number, or a scalar tensor of any dtype of numbers.

    Raises:
      ArgumentError: `factor` is neither.
    """
    return Scale(factor)
