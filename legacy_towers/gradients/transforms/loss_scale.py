"""Loss scaling: the loss is multiplied before gradients are computed, so that float16 can hold them."""
from typing import Any, List, NamedTuple, Optional, Sequence

from legacy_towers.compat import tf
from legacy_towers.errors import ArgumentError
from legacy_towers.gradients.base import GradientRow, Reduction, ReductionContext, ReductionTraits, TowerGradients
from legacy_towers.gradients.state_variables import LOCAL, new_variable
from legacy_towers.gradients.transforms.each import check_scalar, map_gradients, positions, values_of, with_values
from legacy_towers.gradients.transforms.numerics import finite
from legacy_towers.tensor_types import Gradient, Tensor, Variable


class Scales(NamedTuple):
    """The state of a dynamic loss scale in one graph.

    Attributes:
      scale: float32 variable; the factor of the next step's loss.
      good_steps: int64 variable; the number of consecutive finite steps since the scale last changed.
      now: float32 scalar tensor; the factor of this step's losses and gradients, read before anything is written.
    """

    scale: Any
    good_steps: Any
    now: Any


class LossScale(Reduction):
    """See `loss_scale`."""

    traits = ReductionTraits(scales_loss=True)

    def __init__(self, constant: float) -> None:
        check_scalar(constant, "constant", "loss_scale()", positive=True)
        self.constant = constant

    def scale_loss(self, loss: Tensor, state: Any) -> Tensor:
        if not tf.is_tensor(self.constant) and self.constant > float(loss.dtype.max):
            raise ArgumentError(
                "{!r}: the loss is {}, whose largest number is {:g}: every step would be infinite and skipped. Use a "
                "smaller scale, or a float32 loss".format(self, loss.dtype.name, float(loss.dtype.max))
            )
        return loss * tf.cast(self.constant, loss.dtype)

    def update(self, gradients: TowerGradients, state: Any) -> TowerGradients:
        if tf.is_tensor(self.constant):
            _check_of_this_step(self, gradients)
        with tf.name_scope(gradients.context.scope + "/"):
            result, _ = _divided(gradients, self.constant)
            return result

    def __repr__(self) -> str:
        return "loss_scale({!r})".format(self.constant)


class DynamicLossScale(Reduction):
    """See `dynamic_loss_scale`."""

    traits = ReductionTraits(scales_loss=True)

    def __init__(self, initial: float, growth_steps: int, factor: float, least: float) -> None:
        for name, value in [("initial", initial), ("factor", factor), ("least", least)]:
            if tf.is_tensor(value):
                raise ArgumentError("dynamic_loss_scale(): {} is a tensor: it must be a number".format(name))
            check_scalar(value, name, "dynamic_loss_scale()", positive=True)
        if factor <= 1:
            raise ArgumentError("dynamic_loss_scale(): factor is {!r}: it must be more than 1".format(factor))
        if isinstance(growth_steps, bool) or not isinstance(growth_steps, int) or growth_steps < 1:
            raise ArgumentError(
                "dynamic_loss_scale(): growth_steps is {!r}: it must be an integer of at least 1".format(growth_steps)
            )
        if initial < least:
            raise ArgumentError(
                "dynamic_loss_scale(): initial is {!r}: it must be at least least={!r}".format(initial, least)
            )
        self.initial = initial
        self.growth_steps = growth_steps
        self.factor = factor
        self.least = least

    def init(self, context: ReductionContext, variables: Sequence[Variable]) -> Scales:
        first = Scales(None, None, None) if context.first_state is None else context.first_state
        collections = [tf.GraphKeys.GLOBAL_VARIABLES] if context.first_state is None else LOCAL
        scale = new_variable(context.scope, "loss_scale", [], tf.float32, self.initial, collections, first.scale)
        good_steps = new_variable(context.scope, "good_steps", [], tf.int64, 0, collections, first.good_steps)
        return Scales(scale, good_steps, scale.read_value())

    def scale_loss(self, loss: Tensor, state: Scales) -> Tensor:
        return loss * tf.cast(state.now, loss.dtype)

    def update(self, gradients: TowerGradients, state: Scales) -> TowerGradients:
        _check_of_this_step(self, gradients)
        with tf.name_scope(gradients.context.scope + "/"):
            result, is_good = _divided(gradients, state.now)
            if is_good is None:
                return result
            return result._replace(unconditional_ops=result.unconditional_ops + tuple(self._adapted(state, is_good)))

    def _adapted(self, state: Scales, is_good: Any) -> List[Any]:
        """Returns the operations that write the next step's scale, which depend on all that this step read."""
        scale, good_steps = state.now, state.good_steps.read_value()
        grows = tf.greater_equal(good_steps + 1, self.growth_steps)
        higher = scale * self.factor
        higher = tf.where(tf.math.is_finite(higher), higher, scale)
        lower = tf.maximum(scale / self.factor, self.least)
        after = tf.where(is_good, tf.where(grows, higher, scale), lower)
        counted = tf.where(tf.logical_and(is_good, tf.logical_not(grows)), good_steps + 1, tf.zeros([], tf.int64))
        return [tf.assign(state.scale, after).op, tf.assign(state.good_steps, counted).op]

    def __repr__(self) -> str:
        return "dynamic_loss_scale(initial={!r}, growth_steps={!r}, factor={!r}, least={!r})".format(
            self.initial, self.growth_steps, self.factor, self.least
        )


def loss_scale(constant: float) -> LossScale:
    """Returns the reduction that multiplies the loss by a constant, and divides the gradients by it.

        chain(loss_scale(1024.0), mean())    # divides and checks each tower's gradients
        chain(mean(), loss_scale(1024.0))    # divides and checks their mean

    The scale keeps small gradients above the smallest number of float16. A step with an infinite or NaN gradient is
    skipped: variables, slots and moving averages are not changed, the global step still counts. Before `mean()` every
    tower's gradients are checked (except those of towers of weight 0), after it the mean, which is infinite or NaN if
    one tower's is. Clipping and noise must come after it: before it they would get gradients of the scaled loss.

    Args:
      constant: a positive number or a scalar tensor; a power of 2 is not rounded.

    Raises:
      ArgumentError: `constant` is neither; or, when it runs, it is more than the largest number of the loss's dtype, or
        it is a tensor and the gradients are of earlier steps (`accumulate`, `delayed`).

    Source of the method: Micikevicius et al. 2018, "Mixed Precision Training".
    """
    return LossScale(constant)


def dynamic_loss_scale(
    initial: float = 2.0**15, growth_steps: int = 2000, factor: float = 2.0, least: float = 1.0
) -> DynamicLossScale:
    """Returns `loss_scale` with a scale that adapts: as large as the gradients allow.

    A step with an infinite or NaN gradient is skipped, and the scale is divided by `factor`. After `growth_steps`
    consecutive finite steps the scale is multiplied by `factor`. Put it before `accumulate` and `delayed`: after them
    it would divide gradients whose losses had another scale.

    The scale and the count of finite steps are global variables, "<scope>/loss_scale" (float32) and
    "<scope>/good_steps" (int64), in a step "reduction/loss_scale" and "reduction/good_steps". A checkpoint contains
    both, under these names wherever in a chain the reduction is. Towers that apply their own gradients have a scale
    each; a checkpoint contains the first tower's, and after a restore all start from it.

    Args:
      initial: the first scale, a positive number.
      growth_steps: the number of consecutive finite steps after which the scale grows.
      factor: what the scale is multiplied and divided by, more than 1.
      least: the smallest scale. If gradients are infinite even then, steps are still skipped.

    Raises:
      ArgumentError: an argument is out of range; or, when it runs, it comes after `accumulate` or `delayed`.

    Source of the method: Micikevicius et al. 2018, "Mixed Precision Training"; the defaults are those of
    `tf.train.experimental.DynamicLossScale`.
    """
    return DynamicLossScale(initial, growth_steps, factor, least)


def _check_of_this_step(reduction: Reduction, gradients: TowerGradients) -> None:
    if gradients.delayed_by:
        raise ArgumentError(
            "{!r} comes after {}: it would divide the gradients of earlier steps, whose losses had other scales. Put "
            "it before".format(reduction, gradients.delayed_by)
        )


def _divided(gradients: TowerGradients, scale: Any) -> Any:
    """Returns gradients divided by the scale, and whether all are finite; None for the latter without gradients."""
    # Checked before dividing: by an infinite scale every gradient would become 0.
    flags: List[Optional[Any]] = [
        finite(gradients, row, position) for row in gradients.rows for position in positions(gradients)
    ]
    present = [flag for flag in flags if flag is not None]

    def divide(gradient: Gradient, row: GradientRow, position: int) -> Any:
        # The largest number of float16 is 65504: a larger scale would be infinite in it.
        dtype = gradient.dtype if gradient.dtype.size >= 4 else tf.float32
        quotient = tf.cast(values_of(gradient), dtype) / tf.cast(scale, dtype)
        return with_values(gradient, tf.cast(quotient, gradient.dtype))

    result = map_gradients(gradients, divide)
    if not present:
        return result, None
    is_good = tf.reduce_all(tf.stack(present))
    if gradients.context.workers is not None and not gradients.reduced:
        is_good = gradients.context.workers.all_true(is_good, gradients.context.scope + "/all finite")
    apply_if = is_good if gradients.apply_if is None else tf.logical_and(gradients.apply_if, is_good)
    return result._replace(apply_if=apply_if), is_good
