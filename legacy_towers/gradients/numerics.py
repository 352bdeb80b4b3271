"""NaN and infinity in gradients: found, and named."""
from typing import Any, List, NamedTuple, Optional

from legacy_towers.compat import tf
from legacy_towers.gradients.base import GradientRow, Reduction, TowerGradients
from legacy_towers.gradients.each import changed, counts, device_of, positions, values_of, whose, with_values


class CheckNumerics(Reduction):
    """See `check_numerics`."""

    kind = "form"

    def update(self, gradients: TowerGradients, state: Any) -> TowerGradients:
        step = gradients.site.global_step
        with tf.name_scope(gradients.site.scope + "/"):
            number = None if step is None else tf.identity(step)
            checks: List[Any] = []
            for position in positions(gradients):
                checks += _check(gradients, position, number)

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
    first. No gradient of that step is applied to any variable. Of several bad ones one is named.

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


class _Flag(NamedTuple):
    """One gradient, and whether it is good."""

    row: GradientRow
    is_good: Any


def _check(gradients: TowerGradients, position: int, step: Optional[Any]) -> List[Any]:
    """Returns the operation that fails where a gradient of one tower, or a reduced one, is bad; [] without any."""
    found = [_Flag(row, finite(gradients, row, position)) for row in gradients.rows]
    flags = [flag for flag in found if flag.is_good is not None]
    if not flags:
        return []
    host = _host_of(device_of(gradients, flags[0].row, position))
    with tf.device(host):
        are_good = tf.stack([flag.is_good for flag in flags])
        all_good = tf.reduce_all(are_good)
        if gradients.apply_if is not None:
            all_good = tf.logical_or(all_good, tf.logical_not(gradients.apply_if))

    def fail() -> Any:
        has_nan, has_infinity = [], []
        for flag in flags:
            with tf.device(device_of(gradients, flag.row, position)):
                values = values_of(flag.row.gradients[position])
                has_nan.append(tf.reduce_any(tf.math.is_nan(values)))
                has_infinity.append(tf.reduce_any(tf.math.is_inf(values)))
        with tf.device(host):
            first = tf.argmin(tf.cast(are_good, tf.int32))
            nan, infinity = tf.stack(has_nan)[first], tf.stack(has_infinity)[first]
            what = tf.where(
                tf.logical_and(nan, infinity),
                tf.constant("NaN and Inf"),
                tf.where(nan, tf.constant("NaN"), tf.constant("Inf")),
            )
            # Without quotes: an assertion's message would show them as \'.
            names = tf.constant([flag.row.name for flag in flags])
            message = [whose(gradients, position) + " for ", names[first], " has ", what]
            if step is not None:
                message += [" at global step ", tf.strings.as_string(step)]
            with tf.control_dependencies([tf.Assert(all_good, [tf.strings.join(message)])]):
                return tf.no_op()

    # What is wrong is looked for in the steps that need it alone. One condition for all: each takes long to build.
    with tf.device(host):
        return [tf.cond(all_good, tf.no_op, fail)]


def _host_of(device: str) -> str:
    """Returns the CPU beside a device: strings have no other place."""
    spec = tf.DeviceSpec.from_string(device)
    return str(
        tf.DeviceSpec(
            job=spec.job, replica=spec.replica, task=spec.task, device_type="CPU", device_index=0
        ).to_string()
    )
