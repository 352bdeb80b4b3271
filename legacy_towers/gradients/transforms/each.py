"""Functions of one gradient, dense or sparse, and of each gradient of all towers."""
import math
import numbers
from typing import Any, Callable, List, Optional

from legacy_towers.compat import tf
from legacy_towers.errors import ArgumentError
from legacy_towers.gradients.base import GradientRow, TowerGradients
from legacy_towers.tensor_types import DType, Gradient, Tensor

# Takes a gradient, its row and its position in the row.
Change = Callable[[Any, GradientRow, int], Any]


def map_gradients(gradients: TowerGradients, change: Change) -> TowerGradients:
    """Returns the gradients that `change` returns, each created on the device of the old one; None stays None."""
    rows = []
    for row in gradients.rows:
        results: List[Optional[Any]] = []
        for position, gradient in enumerate(row.gradients):
            if gradient is None:
                results.append(None)
                continue
            with tf.device(device_of(gradients, row, position)):
                results.append(change(gradient, row, position))
        rows.append(row._replace(gradients=results))
    return gradients._replace(rows=rows)


def device_of(gradients: TowerGradients, row: GradientRow, position: int) -> str:
    """Returns a gradient's device; if it has none, its tower's device, or the variable's."""
    own = row.gradients[position].device
    if own:
        return str(own)
    return gradients.context.devices[position] if len(row.gradients) > 1 or not gradients.reduced else row.device


def positions(gradients: TowerGradients) -> List[int]:
    """Returns the positions of a row's distinct gradients: one per tower, or the first of several equal results.

    What depends on the numbers, such as a norm, is computed once for all copies of a result: rounding can't make the
    copies differ.
    """
    return [0] if gradients.reduced else list(range(len(gradients.context.devices)))


def owner_of_gradient(gradients: TowerGradients, position: int) -> str:
    """Returns the subject of a message about the gradient at a position."""
    towers = gradients.context.towers
    if gradients.reduced and len(towers) > 1:
        return "the reduced gradient"
    return "the gradient of tower {}".format(towers[position])


def values_of(gradient: Gradient) -> Tensor:
    """Returns the numbers of a gradient: a dense gradient itself, the rows of a sparse one."""
    return gradient.values if isinstance(gradient, tf.IndexedSlices) else gradient


def with_values(gradient: Gradient, values: Any) -> Gradient:
    """Returns a gradient of the same kind and indices with other numbers."""
    if isinstance(gradient, tf.IndexedSlices):
        return tf.IndexedSlices(values, gradient.indices, gradient.dense_shape)
    return values


def add_gradients(gradient: Gradient, other: Any) -> Gradient:
    """Returns the sum of two gradients of one kind; of sparse ones all rows, since optimizers sum repeated indices.

        rows {3: a, 7: b}  +  rows {3: c}  ->  rows {3: a, 7: b, 3: c}
    """
    if not isinstance(gradient, tf.IndexedSlices):
        return gradient + other
    return tf.IndexedSlices(
        tf.concat([gradient.values, other.values], axis=0),
        tf.concat([gradient.indices, other.indices], axis=0),
        gradient.dense_shape,
    )


def sum_repeated_rows(gradient: Gradient) -> Gradient:
    """Returns a sparse gradient with each index once, repeated rows summed; a dense one unchanged.

        rows {3: a, 7: b, 3: c}  ->  rows {3: a+c, 7: b}

    A function that is not linear needs this: the gradient is the sum of the repeated rows.
    """
    if not isinstance(gradient, tf.IndexedSlices):
        return gradient
    indices, positions_in_indices = tf.unique(gradient.indices)
    values = tf.math.unsorted_segment_sum(gradient.values, positions_in_indices, tf.shape(indices)[0])
    values.set_shape(tf.TensorShape([None]).concatenate(gradient.values.shape[1:]))
    return tf.IndexedSlices(values, indices, gradient.dense_shape)


def has_examples(tower_weight: Any) -> Optional[Any]:
    """Returns whether a tower of this weight has examples: True, or a bool scalar tensor; None if it has none.

    The gradient of a tower without examples is left out of a mean, even if it is NaN.
    """
    if tf.is_tensor(tower_weight):
        return tf.greater(tower_weight, 0)
    return True if tower_weight is None or tower_weight > 0 else None


def scalar(value: Any, dtype: DType) -> Any:
    """Returns a number or scalar tensor as a tensor of `dtype`."""
    return tf.cast(value, dtype) if tf.is_tensor(value) else tf.constant(value, dtype)


def is_number(value: Any) -> bool:
    """Returns whether `value` is a real number or a scalar tensor of real numbers; bools are not."""
    if not tf.is_tensor(value):
        return isinstance(value, numbers.Real) and not isinstance(value, bool)
    dtype = value.dtype.base_dtype
    return bool(value.shape.ndims in (None, 0) and (dtype.is_floating or dtype.is_integer))


def check_scalar(value: Any, name: str, what: str, positive: bool = False, finite: bool = True) -> None:
    """Raises ArgumentError unless `value` is a number, or a scalar tensor of a numeric dtype."""
    if tf.is_tensor(value):
        if not is_number(value):
            raise ArgumentError(
                "{}: {} is a tensor of shape {} and {}: it must be a number or a scalar tensor of numbers".format(
                    what, name, value.shape, value.dtype.name
                )
            )
        return
    if not is_number(value) or value != value:
        raise ArgumentError("{}: {} is {!r}: it must be a number or a scalar tensor".format(what, name, value))
    if finite and math.isinf(value):
        raise ArgumentError("{}: {} is {!r}: it must be finite".format(what, name, value))
    if positive and value <= 0:
        raise ArgumentError("{}: {} is {!r}: it must be more than 0".format(what, name, value))
