"""`scale`: gradients multiplied by a factor."""
from typing import Any, Union

from legacy_towers.compat import tf
from legacy_towers.gradients.base import GradientRow, Reduction, TowerGradients
from legacy_towers.gradients.tower_weights import multiply
from legacy_towers.gradients.transforms.each import check_scalar, map_gradients, values_of, with_values
from legacy_towers.tensor_types import Gradient


class Scale(Reduction):
    """See `scale`."""

    def __init__(self, factor: Union[float, Any]) -> None:
        check_scalar(factor, "factor", "scale()")
        self.factor = factor

    def update(self, gradients: TowerGradients, state: Any) -> TowerGradients:
        def scale_one(gradient: Gradient, row: GradientRow, position: int) -> Any:
            return with_values(gradient, multiply(values_of(gradient), self.factor))

        with tf.name_scope(gradients.context.scope + "/"):
            return map_gradients(gradients, scale_one)

    def __repr__(self) -> str:
        return "scale({!r})".format(self.factor)


def scale(factor: Union[float, Any]) -> Scale:
    """Returns the reduction that multiplies every gradient by a factor, in the gradient's dtype.

    Args:
      factor: a finite number, or a scalar tensor of any numeric dtype.

    Raises:
      ArgumentError: `factor` is neither.
    """
    return Scale(factor)
