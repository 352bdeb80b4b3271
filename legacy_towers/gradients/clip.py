"""Gradients that are kept within bounds: by value, by each one's norm, by the norm of all together."""
from typing import Any, List, Union

from legacy_towers.compat import tf
from legacy_towers.errors import ArgumentError
from legacy_towers.gradients.base import GradientRow, Reduction, TowerGradients
from legacy_towers.gradients.each import (
    changed,
    check_scalar,
    device_of,
    distinct_rows,
    positions,
    scalar,
    values_of,
    with_values,
)
from legacy_towers.gradients.shares import times

Scalar = Union[float, Any]

# The collection of the norms that `clip_by_global_norm` found, before clipping: scalar tensors, for summaries.
GLOBAL_NORMS = "legacy_towers/global_norms"


class ClipByValue(Reduction):
    """See `clip_by_value`."""

    linear = False

    def __init__(self, low: Scalar, high: Scalar) -> None:
        check_scalar(low, "low", "clip_by_value()", finite=False)
        check_scalar(high, "high", "clip_by_value()", finite=False)
        if not tf.is_tensor(low) and not tf.is_tensor(high) and low > high:
            raise ArgumentError("clip_by_value(low={!r}, high={!r}): low may not be more than high".format(low, high))
        self.low = low
        self.high = high

    def update(self, gradients: TowerGradients, state: Any) -> TowerGradients:
        def clip(gradient: Any, row: GradientRow, position: int) -> Any:
            if isinstance(gradient, tf.IndexedSlices):
                self._check_keeps_zero(row.name)
            whole = distinct_rows(gradient)
            values = values_of(whole)
            low, high = scalar(self.low, values.dtype), scalar(self.high, values.dtype)
            return with_values(whole, tf.clip_by_value(values, low, high))

        with tf.name_scope(gradients.site.scope + "/"):
            return changed(gradients, clip)

    def _check_keeps_zero(self, name: str) -> None:
        bad = [each for each in (self.low, -self.high) if not tf.is_tensor(each) and each > 0]
        if bad:
            raise ArgumentError(
                "{!r} would make zeros something else, but the gradient of {!r} is sparse: it holds no row where it is "
                "zero. Clip between bounds with 0 in between, or make it dense by lt.gradients.densify() before".format(
                    self, name
                )
            )

    def __repr__(self) -> str:
        return "clip_by_value({!r}, {!r})".format(self.low, self.high)


class ClipByNorm(Reduction):
    """See `clip_by_norm`."""

    linear = False

    def __init__(self, norm: Scalar) -> None:
        check_scalar(norm, "norm", "clip_by_norm()", positive=True, finite=False)
        self.norm = norm

    def update(self, gradients: TowerGradients, state: Any) -> TowerGradients:
        factors = {}
        with tf.name_scope(gradients.site.scope + "/"):
            for row in gradients.rows:
                for position in positions(gradients):
                    if row.gradients[position] is not None:
                        with tf.device(device_of(gradients, row, position)):
                            norm = tf.sqrt(_sum_of_squares(row.gradients[position], _wide([row.gradients[position]])))
                            factors[row.name, position] = _factor(norm, self.norm)

            def clip(gradient: Any, row: GradientRow, position: int) -> Any:
                return _scaled(gradient, factors[row.name, 0 if gradients.reduced else position])

            return changed(gradients, clip)

    def __repr__(self) -> str:
        return "clip_by_norm({!r})".format(self.norm)


class ClipByGlobalNorm(Reduction):
    """See `clip_by_global_norm`."""

    linear = False

    def __init__(self, norm: Scalar) -> None:
        check_scalar(norm, "norm", "clip_by_global_norm()", positive=True, finite=False)
        self.norm = norm

    def update(self, gradients: TowerGradients, state: Any) -> TowerGradients:
        if not any(gradient is not None for row in gradients.rows for gradient in row.gradients):
            return gradients
        factors = {}
        with tf.name_scope(gradients.site.scope + "/"):
            for position in positions(gradients):
                with tf.device(None if gradients.reduced else gradients.site.devices[position]):
                    norm = _global_norm(gradients, position)
                    factors[position] = _factor(norm, self.norm)
                tf.add_to_collection(GLOBAL_NORMS, norm)

            def clip(gradient: Any, row: GradientRow, position: int) -> Any:
                return _scaled(gradient, factors[0 if gradients.reduced else position])

            return changed(gradients, clip)

    def __repr__(self) -> str:
        return "clip_by_global_norm({!r})".format(self.norm)


def clip_by_value(low: Scalar, high: Scalar) -> ClipByValue:
    """Returns the reduction that keeps each number of a gradient between `low` and `high`.

    Before `mean()` it clips each tower's own gradients, behind it their mean. In a sparse gradient repeated rows are
    summed first, and the sums clipped: what comes out is the clipped dense gradient. (`tf.clip_by_value` on
    IndexedSlices clips each of the repeated rows.)

    Args:
      low: a number or a scalar tensor.
      high: a number or a scalar tensor. Sparse gradients ask for bounds with 0 in between.

    Raises:
      ArgumentError: one is no such number, or `low` is more than `high`; or, when it runs, a gradient is sparse and 0
        is not between them.
    """
    return ClipByValue(low, high)


def clip_by_norm(norm: Scalar) -> ClipByNorm:
    """Returns the reduction that scales down each gradient whose L2 norm is more than `norm`, to that norm.

    Each variable's gradient by itself; before `mean()` each tower's own, behind it their mean. The norm of a sparse
    gradient is that of the dense one: repeated rows count as their sum. (`tf.clip_by_norm` on IndexedSlices takes the
    norm of the rows as they stand.) A gradient whose norm is infinite or NaN becomes NaN everywhere. Norms are computed
    in float32 at least.

    Args:
      norm: a positive number, infinity too, or a scalar tensor.

    Raises:
      ArgumentError: `norm` is none of these.
    """
    return ClipByNorm(norm)


def clip_by_global_norm(norm: Scalar) -> ClipByGlobalNorm:
    """Returns the reduction that scales all gradients down by one factor where their common L2 norm is above `norm`.

        chain(clip_by_global_norm(5.0), mean())    # each tower's gradients by their own norm
        chain(mean(), clip_by_global_norm(5.0))    # their mean by its norm

    The norm is sqrt(sum of the squares of all numbers of all variables' gradients), computed in float32 at least.
    Repeated rows of a sparse gradient count as their sum, as in the dense gradient; `tf.clip_by_global_norm` takes them
    as they stand, which finds another norm. As there, all gradients become NaN where the norm is infinite or NaN.

    The norms before clipping are in the collection `lt.gradients.GLOBAL_NORMS`, one scalar per tower or the one of the
    reduced gradients, for summaries:

        for norm in tf.get_collection(lt.gradients.GLOBAL_NORMS):
            tf.summary.scalar(norm.op.name, norm)

    Args:
      norm: a positive number or a scalar tensor; infinity clips nothing, and shows the norms.

    Raises:
      ArgumentError: `norm` is none of these.

    Source: Pascanu, Mikolov, Bengio 2013, "On the difficulty of training recurrent neural networks".
    """
    return ClipByGlobalNorm(norm)


def _global_norm(gradients: TowerGradients, position: int) -> Any:
    found = [(row, row.gradients[position]) for row in gradients.rows if row.gradients[position] is not None]
    dtype = _wide([gradient for _, gradient in found])
    squares: List[Any] = []
    for row, gradient in found:
        with tf.device(device_of(gradients, row, position)):
            squares.append(_sum_of_squares(gradient, dtype))
    name = "global_norm" if gradients.reduced else "tower_{}/global_norm".format(gradients.site.towers[position])
    # A tower may have no gradient at all: its norm is 0.
    total = tf.add_n(squares) if squares else tf.zeros([], dtype)
    return tf.sqrt(total, name=name)


def _wide(gradients: List[Any]) -> Any:
    """Returns the dtype for sums of squares: float16 would overflow at a norm of 256."""
    return tf.float64 if any(gradient.dtype == tf.float64 for gradient in gradients) else tf.float32


def _sum_of_squares(gradient: Any, dtype: Any) -> Any:
    values = tf.cast(values_of(distinct_rows(gradient)), dtype)
    return tf.nn.l2_loss(values) * tf.constant(2, dtype)


def _factor(norm: Any, bound: Scalar) -> Any:
    bound = scalar(bound, norm.dtype)
    # What tf.maximum makes of NaN differs from device to device.
    # An infinite bound, to see the norm alone, divided by itself would be NaN.
    factor = tf.where(norm > bound, bound / norm, tf.ones_like(norm))
    return tf.where(tf.math.is_finite(norm), factor, tf.constant(float("nan"), norm.dtype))


def _scaled(gradient: Any, factor: Any) -> Any:
    return with_values(gradient, times(values_of(gradient), factor))
