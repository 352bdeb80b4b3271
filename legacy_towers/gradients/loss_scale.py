"""A loss that is scaled up before gradients are computed, so that float16 holds them, and gradients scaled down."""
from typing import Any, List, NamedTuple, Optional, Sequence

from legacy_towers.compat import tf
from legacy_towers.errors import ArgumentError
from legacy_towers.gradients.base import GradientRow, Reduction, Site, TowerGradients
from legacy_towers.gradients.each import changed, check_scalar, positions, values_of, with_values
from legacy_towers.gradients.numerics import finite
from legacy_towers.gradients.stored import LOCAL, made_at


class Scales(NamedTuple):
    """A dynamic loss scale in one graph.

    Attributes:
      scale: float32 variable; what the loss of the next step is multiplied by.
      good_steps: int64 variable; how many steps in a row were finite since the scale last changed.
      now: what this step's losses and gradients are scaled by: read once, before anything is written.
    """

    scale: Any
    good_steps: Any
    now: Any


class LossScale(Reduction):
    """See `loss_scale`."""

    scales_loss = True

    def __init__(self, constant: float) -> None:
        check_scalar(constant, "constant", "loss_scale()", positive=True)
        self.constant = constant

    def scale_loss(self, loss: Any, state: Any) -> Any:
        if not tf.is_tensor(self.constant) and self.constant > float(loss.dtype.max):
            raise ArgumentError(
                "{!r}: the loss is {}, whose largest number is {:g}: every step would be infinite, and skipped. Take a "
                "smaller scale, or make the loss float32".format(self, loss.dtype.name, float(loss.dtype.max))
            )
        return loss * tf.cast(self.constant, loss.dtype)

    def update(self, gradients: TowerGradients, state: Any) -> TowerGradients:
        if tf.is_tensor(self.constant):
            _check_of_this_step(self, gradients)
        with tf.name_scope(gradients.site.scope + "/"):
            result, _ = _divided(gradients, self.constant)
            return result

    def __repr__(self) -> str:
        return "loss_scale({!r})".format(self.constant)


class DynamicLossScale(Reduction):
    """See `dynamic_loss_scale`."""

    scales_loss = True

    def __init__(self, initial: float, growth_steps: int, factor: float, least: float) -> None:
        for name, value in [("initial", initial), ("factor", factor), ("least", least)]:
            if tf.is_tensor(value):
                raise ArgumentError("dynamic_loss_scale(): {} is a tensor: allowed is a number".format(name))
            check_scalar(value, name, "dynamic_loss_scale()", positive=True)
        if factor <= 1:
            raise ArgumentError("dynamic_loss_scale(): factor is {!r}: it must be more than 1".format(factor))
        if isinstance(growth_steps, bool) or not isinstance(growth_steps, int) or growth_steps < 1:
            raise ArgumentError(
                "dynamic_loss_scale(): growth_steps is {!r}: allowed are integers from 1".format(growth_steps)
            )
        if initial < least:
            raise ArgumentError(
                "dynamic_loss_scale(): initial is {!r}: it may not be less than least={!r}".format(initial, least)
            )
        self.initial = initial
        self.growth_steps = growth_steps
        self.factor = factor
        self.least = least

    def init(self, site: Site, variables: Sequence[Any]) -> Scales:
        first = Scales(None, None, None) if site.first is None else site.first
        kept = [tf.GraphKeys.GLOBAL_VARIABLES] if site.first is None else LOCAL
        scale = made_at(site.scope, "loss_scale", [], tf.float32, self.initial, kept, first.scale)
        good_steps = made_at(site.scope, "good_steps", [], tf.int64, 0, kept, first.good_steps)
        return Scales(scale, good_steps, scale.read_value())

    def scale_loss(self, loss: Any, state: Scales) -> Any:
        return loss * tf.cast(state.now, loss.dtype)

    def update(self, gradients: TowerGradients, state: Scales) -> TowerGradients:
        _check_of_this_step(self, gradients)
        with tf.name_scope(gradients.site.scope + "/"):
            result, is_good = _divided(gradients, state.now)
            if is_good is None:
                return result
            return result._replace(beside=result.beside + tuple(self._adapted(state, is_good)))

    def _adapted(self, state: Scales, is_good: Any) -> List[Any]:
        """Returns the writes of the next step's scale; what they write depends on all that this step read."""
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
    """Returns the reduction that multiplies the loss by a constant, and divides the gradients where it stands.

        chain(loss_scale(1024.0), mean())    # each tower's gradients are divided, and looked at
        chain(mean(), loss_scale(1024.0))    # their mean is

    Small gradients so stay above the least number of float16. A step in which any gradient that it sees is infinite or
    NaN is skipped: variables, slots and moving averages stay, the global step counts on. Before `mean()` it sees every
    tower's (but those of towers of weight 0), behind it the mean, which is infinite or NaN where one tower's is.
    Clipping and noise go behind it: in front of it they would see gradients of another size, and are refused.

    Args:
      constant: a positive number or a scalar tensor; a power of 2 costs no digit.

    Raises:
      ArgumentError: `constant` is no such number; or, when it runs, the loss's dtype has no number that high.

    Source: Micikevicius et al. 2017, "Mixed Precision Training".
    """
    return LossScale(constant)


def dynamic_loss_scale(
    initial: float = 2.0**15, growth_steps: int = 2000, factor: float = 2.0, least: float = 1.0
) -> DynamicLossScale:
    """Returns `loss_scale` with a scale that adapts: as high as the gradients allow.

    After a step with a gradient that is infinite or NaN, which is skipped, the scale is divided by `factor`; after
    `growth_steps` steps in a row without one it is multiplied. It stands in front of `accumulate` and `deferred`:
    behind them it would divide gradients whose losses had another scale.

    The scale and the count of good steps are global variables, "<scope>/loss_scale" (float32) and "<scope>/good_steps"
    (int64), in a step "reduction/loss_scale" and "reduction/good_steps": a checkpoint holds both, under these names
    wherever in a chain it stands. Towers that apply gradients of their own have a scale each, of which a checkpoint
    holds the first tower's; restored, all begin with that.

    Args:
      initial: the first scale, a number.
      growth_steps: how many good steps in a row raise the scale.
      factor: what it is multiplied and divided by, more than 1.
      least: it is never lower. Where gradients are still infinite then, steps are skipped all the same.

    Raises:
      ArgumentError: an argument is out of range; or, when it runs, it stands behind `accumulate` or `deferred`.

    Source: Micikevicius et al. 2017, "Mixed Precision Training"; the defaults are those of `tf.train.experimental
    .DynamicLossScale`.
    """
    return DynamicLossScale(initial, growth_steps, factor, least)


def _check_of_this_step(reduction: Reduction, gradients: TowerGradients) -> None:
    if gradients.of_earlier:
        raise ArgumentError(
            "{!r} stands behind {}: it would divide the gradients of earlier steps, whose losses had other scales. Put "
            "it in front".format(reduction, gradients.of_earlier)
        )


def _divided(gradients: TowerGradients, scale: Any) -> Any:
    """Returns gradients divided by the scale, applied where all are finite, and that condition; None: none is there."""
    # Looked at before dividing: an infinite scale would make 0 of everything.
    flags: List[Optional[Any]] = [
        finite(gradients, row, position) for row in gradients.rows for position in positions(gradients)
    ]
    found = [flag for flag in flags if flag is not None]

    def divide(gradient: Any, row: GradientRow, position: int) -> Any:
        # float16 has no number above 65504: a higher scale would be infinite there.
        wide = gradient.dtype if gradient.dtype.size >= 4 else tf.float32
        quotient = tf.cast(values_of(gradient), wide) / tf.cast(scale, wide)
        return with_values(gradient, tf.cast(quotient, gradient.dtype))

    result = changed(gradients, divide)
    if not found:
        return result, None
    is_good = tf.reduce_all(tf.stack(found))
    apply_if = is_good if gradients.apply_if is None else tf.logical_and(gradients.apply_if, is_good)
    return result._replace(apply_if=apply_if), is_good
