"""Gradient clipping: by value, by each gradient's norm, by the norm of all gradients together."""
from typing import Any, List, Union

from legacy_towers.compat import tf
from legacy_towers.errors import ArgumentError
from legacy_towers.gradients.base import GradientRow, Reduction, ReductionTraits, TowerGradients
from legacy_towers.gradients.tower_weights import multiply
from legacy_towers.gradients.transforms.each import (
    check_scalar,
    device_of,
    map_gradients,
    positions,
    scalar,
    sum_repeated_rows,
    values_of,
    with_values,
)
from legacy_towers.tensor_types import DType, Gradient

Scalar = Union[float, Any]

GLOBAL_NORMS = "legacy_towers/global_norms"
"""The graph collection to which `clip_by_global_norm` adds the norms before clipping, each a scalar tensor."""


class ClipByValue(Reduction):
    """See `clip_by_value`."""

    traits = ReductionTraits(linear=False)

    def __init__(self, low: Scalar, high: Scalar) -> None:
        check_scalar(low, "low", "clip_by_value()", finite=False)
        check_scalar(high, "high", "clip_by_value()", finite=False)
        if not tf.is_tensor(low) and not tf.is_tensor(high) and low > high:
            raise ArgumentError("clip_by_value(low={!r}, high={!r}): low must not be more than high".format(low, high))
        self.low = low
        self.high = high

    def update(self, gradients: TowerGradients, state: Any) -> TowerGradients:
        def clip(gradient: Gradient, row: GradientRow, position: int) -> Any:
            if isinstance(gradient, tf.IndexedSlices):
                self._check_keeps_zero(row.name)
            whole = sum_repeated_rows(gradient)
            values = values_of(whole)
            low, high = scalar(self.low, values.dtype), scalar(self.high, values.dtype)
            return with_values(whole, tf.clip_by_value(values, low, high))

        with tf.name_scope(gradients.context.scope + "/"):
            return map_gradients(gradients, clip)

    def _check_keeps_zero(self, name: str) -> None:
        bad = [each for each in (self.low, -self.high) if not tf.is_tensor(each) and each > 0]
        if bad:
            raise ArgumentError(
                "{!r} would change zeros, but the gradient of {!r} is sparse: it has no row where it is "
                "zero. Clip to an interval with 0 in it, or put lt.gradients.densify() before it".format(
                    self, name
                )
            )

    def __repr__(self) -> str:
        return "clip_by_value({!r}, {!r})".format(self.low, self.high)


class _ClipToNorm(Reduction):
    """Base class of reductions that scale gradients down to a norm."""

    traits = ReductionTraits(linear=False)
    name = ""

    def __init__(self, norm: Scalar) -> None:
        check_scalar(norm, "norm", self.name + "()", positive=True, finite=False)
        self.norm = norm

    def __repr__(self) -> str:
        return "{}({!r})".format(self.name, self.norm)


class ClipByNorm(_ClipToNorm):
    """See `clip_by_norm`."""

    name = "clip_by_norm"

    def update(self, gradients: TowerGradients, state: Any) -> TowerGradients:
        factors = {}
        with tf.name_scope(gradients.context.scope + "/"):
            for row in gradients.rows:
                for position in positions(gradients):
                    if row.gradients[position] is not None:
                        with tf.device(device_of(gradients, row, position)):
                            gradient = row.gradients[position]
                            norm = tf.sqrt(_sum_of_squares(gradient, _norm_dtype([gradient])))
                            factors[row.name, position] = _factor(norm, self.norm)

            def clip(gradient: Gradient, row: GradientRow, position: int) -> Any:
                return _scaled(gradient, factors[row.name, 0 if gradients.reduced else position])

            return map_gradients(gradients, clip)


class ClipByGlobalNorm(_ClipToNorm):
    """See `clip_by_global_norm`."""

    name = "clip_by_global_norm"

    def update(self, gradients: TowerGradients, state: Any) -> TowerGradients:
        if not any(gradient is not None for row in gradients.rows for gradient in row.gradients):
            return gradients
        factors = {}
        with tf.name_scope(gradients.context.scope + "/"):
            for position in positions(gradients):
                with tf.device(None if gradients.reduced else gradients.context.devices[position]):
                    norm = _global_norm(gradients, position)
                    factors[position] = _factor(norm, self.norm)
                tf.add_to_collection(GLOBAL_NORMS, norm)

            def clip(gradient: Gradient, row: GradientRow, position: int) -> Any:
                return _scaled(gradient, factors[0 if gradients.reduced else position])

            return map_gradients(gradients, clip)


def clip_by_value(low: Scalar, high: Scalar) -> ClipByValue:
    """Returns the reduction that clips each element of a gradient, to be in [low, high].

    Before `mean()` it clips each tower's gradients, after it their mean. In a sparse gradient repeated rows are summed
    first, and the sums clipped: the result is the clipped dense gradient. (`tf.clip_by_value` on IndexedSlices clips
    each of the repeated rows.)

    Args:
      low: a number or a scalar tensor.
      high: a number or a scalar tensor. For sparse gradients 0 must be in [low, high].

    Raises:
      ArgumentError: one of them is neither a number nor a scalar tensor, or `low` is more than `high`; or, when it
        runs, a gradient is sparse and 0 is not in [low, high].
    """
    return ClipByValue(low, high)


def clip_by_norm(norm: Scalar) -> ClipByNorm:
    """Returns the reduction that scales each gradient down to an L2 norm of at most `norm`.

    Each variable's gradient is scaled by itself: before `mean()` each tower's, after it their mean. The norm of a
    sparse gradient is that of the dense one: repeated rows are summed first. (`tf.clip_by_norm` on IndexedSlices takes
    the norm of the rows as they are.) A gradient whose norm is infinite or NaN becomes NaN everywhere. Norms are
    computed in float32 or float64.

    Args:
      norm: a positive number, which may be infinite, or a scalar tensor.

    Raises:
      ArgumentError: `norm` is none of these.
    """
    return ClipByNorm(norm)


def clip_by_global_norm(norm: Scalar) -> ClipByGlobalNorm:
    """Returns the reduction that scales all gradients by one factor, to a global L2 norm of at most `norm`.

        chain(clip_by_global_norm(5.0), mean())    # clips each tower's gradients by the tower's norm
        chain(mean(), clip_by_global_norm(5.0))    # clips the mean by its norm

    The global norm is sqrt(sum of the squares of all elements of all variables' gradients), computed in float32 or
    float64. Repeated rows of a sparse gradient are summed first, as in the dense gradient; `tf.clip_by_global_norm`
    takes them as they are, which gives another norm. As in TensorFlow, all gradients become NaN if the norm is infinite
    or NaN.

    The norms before clipping are in the collection `lt.gradients.GLOBAL_NORMS`, scalars of float32 or float64, one per
    tower or one of the reduced gradients, for summaries:

        for norm in tf.get_collection(lt.gradients.GLOBAL_NORMS):
            tf.summary.scalar(norm.op.name, norm)

    Args:
      norm: a positive number or a scalar tensor; infinity clips nothing, and only collects the norms.

    Raises:
      ArgumentError: `norm` is none of these.

    Source of the method: Pascanu, Mikolov, Bengio 2013, "On the difficulty of training recurrent neural networks".
    """
    return ClipByGlobalNorm(norm)


def _global_norm(gradients: TowerGradients, position: int) -> Any:
    present = [(row, row.gradients[position]) for row in gradients.rows if row.gradients[position] is not None]
    dtype = _norm_dtype([gradient for _, gradient in present])
    squares: List[Any] = []
    for row, gradient in present:
        with tf.device(device_of(gradients, row, position)):
            squares.append(_sum_of_squares(gradient, dtype))
    name = "global_norm" if gradients.reduced else "tower_{}/global_norm".format(gradients.context.towers[position])
    # A tower may have no gradient at all: its norm is 0.
    total = tf.add_n(squares) if squares else tf.zeros([], dtype)
    return tf.sqrt(total, name=name)


def _norm_dtype(gradients: List[Any]) -> Any:
    """Returns the dtype for sums of squares: float16 would overflow at a norm of 256."""
    return tf.float64 if any(gradient.dtype == tf.float64 for gradient in gradients) else tf.float32


def _sum_of_squares(gradient: Gradient, dtype: DType) -> Any:
    values = tf.cast(values_of(sum_repeated_rows(gradient)), dtype)
    return tf.nn.l2_loss(values) * tf.constant(2, dtype)


def _factor(norm: Any, bound: Scalar) -> Any:
    bound = scalar(bound, norm.dtype)
    # What tf.maximum makes of NaN differs from device to device.
    # An infinite bound, to see the norm alone, divided by itself would be NaN.
    factor = tf.where(norm > bound, bound / norm, tf.ones_like(norm))
    return tf.where(tf.math.is_finite(norm), factor, tf.constant(float("nan"), norm.dtype))


def _scaled(gradient: Gradient, factor: Any) -> Any:
    return with_values(gradient, multiply(values_of(gradient), factor))
