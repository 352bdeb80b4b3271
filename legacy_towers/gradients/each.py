"""One gradient at a time: the same done to every gradient, dense or sparse, of each tower or of all."""
import math
import numbers
from typing import Any, Callable, List, Optional

from legacy_towers.compat import tf
from legacy_towers.errors import ArgumentError
from legacy_towers.gradients.base import GradientRow, TowerGradients

# Takes a gradient, its row and its position in the row.
Change = Callable[[Any, GradientRow, int], Any]


def changed(gradients: TowerGradients, change: Change) -> TowerGradients:
    """Returns the gradients that `change` makes, each on the device of the old one; None stays None."""
    rows = []
    for row in gradients.rows:
        made: List[Optional[Any]] = []
        for position, gradient in enumerate(row.gradients):
            if gradient is None:
                made.append(None)
                continue
            with tf.device(device_of(gradients, row, position)):
                made.append(change(gradient, row, position))
        rows.append(row._replace(gradients=made))
    return gradients._replace(rows=rows)


def device_of(gradients: TowerGradients, row: GradientRow, position: int) -> str:
    """Returns where a gradient is; where it does not say so itself, its tower's device, or the variable's."""
    own = row.gradients[position].device
    if own:
        return str(own)
    return gradients.site.devices[position] if len(row.gradients) > 1 or not gradients.reduced else row.device


def positions(gradients: TowerGradients) -> List[int]:
    """Returns the positions in a row whose gradients differ: one per tower, or the first of equal results.

    What is decided by numbers, such as a norm, is so decided once for all copies: they can't drift apart by rounding.
    """
    return [0] if gradients.reduced else list(range(len(gradients.site.devices)))


def whose(gradients: TowerGradients, position: int) -> str:
    """Returns whose gradient stands at a position, for messages."""
    towers = gradients.site.towers
    if gradients.reduced and len(towers) > 1:
        return "the reduced gradient"
    return "the gradient of tower {}".format(towers[position])


def values_of(gradient: Any) -> Any:
    """Returns the numbers of a gradient: a dense one itself, the rows of a sparse one."""
    return gradient.values if isinstance(gradient, tf.IndexedSlices) else gradient


def with_values(gradient: Any, values: Any) -> Any:
    """Returns a gradient of the same kind, the same indices and other numbers."""
    if isinstance(gradient, tf.IndexedSlices):
        return tf.IndexedSlices(values, gradient.indices, gradient.dense_shape)
    return values


def plus(gradient: Any, other: Any) -> Any:
    """Returns the sum of two gradients of one kind; of sparse ones the rows of both, as optimizers sum repeated ones.

        rows {3: a, 7: b}  +  rows {3: c}  ->  rows {3: a, 7: b, 3: c}
    """
    if not isinstance(gradient, tf.IndexedSlices):
        return gradient + other
    return tf.IndexedSlices(
        tf.concat([gradient.values, other.values], axis=0),
        tf.concat([gradient.indices, other.indices], axis=0),
        gradient.dense_shape,
    )


def distinct_rows(gradient: Any) -> Any:
    """Returns a sparse gradient in which each index stands once, repeated rows summed; a dense one as it is.

        rows {3: a, 7: b, 3: c}  ->  rows {3: a+c, 7: b}

    Only what is linear may be done to repeated rows one by one: their sum is the gradient.
    """
    if not isinstance(gradient, tf.IndexedSlices):
        return gradient
    indices, places = tf.unique(gradient.indices)
    values = tf.math.unsorted_segment_sum(gradient.values, places, tf.shape(indices)[0])
    values.set_shape(tf.TensorShape([None]).concatenate(gradient.values.shape[1:]))
    return tf.IndexedSlices(values, indices, gradient.dense_shape)


def counts(share: Any) -> Optional[Any]:
    """Returns whether a tower of this share has examples: True, or a bool scalar tensor; None where it has none.

    The gradient of a tower without examples is left out of a mean, even where it is NaN.
    """
    if tf.is_tensor(share):
        return tf.greater(share, 0)
    return True if share is None or share > 0 else None


def scalar(value: Any, dtype: Any) -> Any:
    """Returns a number or scalar tensor as a tensor of `dtype`."""
    return tf.cast(value, dtype) if tf.is_tensor(value) else tf.constant(value, dtype)


def is_number(value: Any) -> bool:
    """Returns whether this is a real number, or a scalar tensor of real numbers; True and False are none."""
    if not tf.is_tensor(value):
        return isinstance(value, numbers.Real) and not isinstance(value, bool)
    dtype = value.dtype.base_dtype
    return bool(value.shape.ndims in (None, 0) and (dtype.is_floating or dtype.is_integer))


def check_scalar(value: Any, name: str, what: str, positive: bool = False, finite: bool = True) -> None:
    """Raises ArgumentError if `value` is no number (a positive, a finite one, if asked) and no scalar tensor of one.

    Args:
      value: what was given.
      name: of the argument.
      what: the reduction that it was given to.
      positive: whether numbers must be more than 0.
      finite: whether numbers may not be infinite.
    """
    if tf.is_tensor(value):
        if not is_number(value):
            raise ArgumentError(
                "{}: {} is a tensor of shape {} and {}: allowed is a number or a scalar tensor of numbers".format(
                    what, name, value.shape, value.dtype.name
                )
            )
        return
    if not is_number(value) or value != value:
        raise ArgumentError("{}: {} is {!r}: allowed is a number or a scalar tensor".format(what, name, value))
    if finite and math.isinf(value):
        raise ArgumentError("{}: {} is {!r}: it may not be infinite".format(what, name, value))
    if positive and value <= 0:
        raise ArgumentError("{}: {} is {!r}: it must be more than 0".format(what, name, value))
