"""What is known, before the graph runs, of the shape of one variable's dense gradients."""
from typing import Any

from legacy_towers.compat import tf
from legacy_towers.gradients.base import GradientRow


def is_dense(row: GradientRow) -> bool:
    """Returns whether every tower has a gradient, and none is sparse."""
    return all(isinstance(gradient, tf.Tensor) for gradient in row.gradients)


def static_shape(row: GradientRow) -> Any:
    """Returns the tf.TensorShape that all towers' dense gradients have: what any of them, or the variable, tells."""
    shape = tf.TensorShape(None) if row.variable is None else row.variable.shape
    for gradient in row.gradients:
        shape = shape.merge_with(gradient.shape)
    return shape
