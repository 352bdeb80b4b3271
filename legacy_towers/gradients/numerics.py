"""NaN and infinity in gradients: found, and named."""
from typing import Any, List, Optional

from legacy_towers.compat import tf
from legacy_towers.gradients.base import GradientRow, Reduction, TowerGradients
from legacy_towers.gradients.each import changed, counts, device_of, positions, values_of, whose, with_values


class CheckNumerics(Reduction):
    """See `check_numerics`."""

    def update(self, gradients: TowerGradients, state: Any) -> TowerGradients:
        step = gradients.site.global_step
        with tf.name_scope(gradients.site.scope + "/"):
            number = None if step is None else tf.identity(step)
            checks: List[Any] = []
            for row in gradients.rows:
                for position in positions(gradients):
                    checks += _checks(gradients, row, position, number)

            def checked(gradient: Any, row: GradientRow, position: int) -> Any:
                return with_values(gradient, tf.identity(values_of(gradient)))

            # Each waits for all the checks: nothing is written where one gradient is bad.
            with tf.control_dependencies(checks):
                return changed(gradients, checked)

    def __repr__(self) -> str:
        return "check_numerics()"


def check_numerics() -> CheckNumerics:
    """Returns the reduction that ends the run with an error where a gradient holds NaN or infinity.

    The error is a `tf.errors.InvalidArgumentError`, such as

        the gradient of tower 2 for fc/w has NaN at global step 17

    or "the reduced gradient for fc/w ..." behind `mean()`. The global step is the one before this step: 0 in the
    first. No gradient of that step is applied to any variable. What several variables or towers have, one is named of.

    It checks what counts: no tower whose weight is 0 before `mean()`, and no step that a reduction in front of it skips
    anyway, such as `dynamic_loss_scale()`. Every gradient is read once more for it.
    """
    return CheckNumerics()


def finite(gradients: TowerGradients, row: GradientRow, position: int) -> Optional[Any]:
    """Returns a bool scalar tensor: whether a gradient has no NaN and no infinity, or belongs to a tower of share 0.

    None where that is known without looking: there is no gradient, or no share.
    """
    gradient = row.gradients[position]
    shares = None if gradients.reduced else gradients.site.shares
    of_tower = True if shares is None else counts(shares[position])
    if gradient is None or of_tower is None:
        return None
    with tf.device(device_of(gradients, row, position)):
        is_good = tf.reduce_all(tf.math.is_finite(values_of(gradient)))
        return tf.logical_or(is_good, tf.logical_not(of_tower)) if tf.is_tensor(of_tower) else is_good


def _checks(gradients: TowerGradients, row: GradientRow, position: int, step: Optional[Any]) -> List[Any]:
    is_good = finite(gradients, row, position)
    if is_good is None:
        return []
    device = device_of(gradients, row, position)
    if gradients.apply_if is not None:
        is_good = tf.logical_or(is_good, tf.logical_not(gradients.apply_if))

    def fail() -> Any:
        with tf.device(device):
            values = values_of(row.gradients[position])
            has_nan, has_infinity = tf.reduce_any(tf.math.is_nan(values)), tf.reduce_any(tf.math.is_inf(values))
        with tf.device(_host_of(device)):
            what = tf.where(
                tf.logical_and(has_nan, has_infinity),
                tf.constant("NaN and Inf"),
                tf.where(has_nan, tf.constant("NaN"), tf.constant("Inf")),
            )
            # Without quotes: an assertion's message would show them as \'.
            name = "{} for {} has ".format(whose(gradients, position), row.name)
            when = [] if step is None else [" at global step ", tf.strings.as_string(step)]
            with tf.control_dependencies([tf.Assert(is_good, [tf.strings.join([name, what] + when)])]):
                return tf.no_op()

    # The message is made in the steps that need it alone.
    return [tf.cond(is_good, tf.no_op, fail)]


def _host_of(device: str) -> str:
    """Returns the CPU beside a device: strings have no other place."""
    spec = tf.DeviceSpec.from_string(device)
    return str(
        tf.DeviceSpec(
            job=spec.job, replica=spec.replica, task=spec.task, device_type="CPU", device_index=0
        ).to_string()
    )
