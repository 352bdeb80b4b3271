"""`check_numerics`: an error that names the gradient with NaN or infinity."""
from typing import Any, List, NamedTuple, Optional

from legacy_towers.compat import tf
from legacy_towers.gradients.base import GradientRow, Reduction, ReductionTraits, TowerGradients
from legacy_towers.gradients.transforms.each import (
    device_of,
    has_examples,
    map_gradients,
    owner_of_gradient,
    positions,
    values_of,
    with_values,
)
from legacy_towers.tensor_types import Gradient


class CheckNumerics(Reduction):
    """See `check_numerics`."""

    traits = ReductionTraits(kind="form")

    def update(self, gradients: TowerGradients, state: Any) -> TowerGradients:
        step = gradients.context.global_step
        with tf.name_scope(gradients.context.scope + "/"):
            number = None if step is None else tf.identity(step)
            checks: List[Any] = []
            for position in positions(gradients):
                checks += _check(gradients, position, number)

            def checked(gradient: Gradient, row: GradientRow, position: int) -> Any:
                return with_values(gradient, tf.identity(values_of(gradient)))

            # Each gradient waits for all checks: no variable is written if one gradient is not finite.
            with tf.control_dependencies(checks):
                return map_gradients(gradients, checked)

    def __repr__(self) -> str:
        return "check_numerics()"


def check_numerics() -> CheckNumerics:
    """Returns the reduction that raises an error if a gradient contains NaN or infinity.

    The error is a `tf.errors.InvalidArgumentError`, such as

        the gradient of tower 2 for fc/w has NaN at global step 17

    or "the reduced gradient for fc/w ..." after `mean()`. The global step is the one before this step: 0 in the first.
    No gradient of that step is applied to any variable. Of several such gradients one is named.

    Towers of weight 0 are not checked before `mean()`, nor is a step that an earlier member of the chain skips, such as
    `dynamic_loss_scale()`. The check reads every gradient once more.
    """
    return CheckNumerics()


def finite(gradients: TowerGradients, row: GradientRow, position: int) -> Optional[Any]:
    """Returns a bool scalar tensor: whether a gradient has no NaN and no infinity, or its tower has weight 0.

    None if there is no gradient, or if the weight is the number 0.
    """
    gradient = row.gradients[position]
    tower_weights = None if gradients.reduced else gradients.context.tower_weights
    of_tower = True if tower_weights is None else has_examples(tower_weights[position])
    if gradient is None or of_tower is None:
        return None
    with tf.device(device_of(gradients, row, position)):
        is_good = tf.reduce_all(tf.math.is_finite(values_of(gradient)))
        return tf.logical_or(is_good, tf.logical_not(of_tower)) if tf.is_tensor(of_tower) else is_good


class _Flag(NamedTuple):
    """One gradient, and the bool scalar tensor that says whether it is finite."""

    row: GradientRow
    is_good: Any


def _check(gradients: TowerGradients, position: int, step: Optional[Any]) -> List[Any]:
    """Returns the operation that fails if a gradient at this position is not finite; [] without gradients."""
    all_flags = [_Flag(row, finite(gradients, row, position)) for row in gradients.rows]
    flags = [flag for flag in all_flags if flag.is_good is not None]
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
            # Without quotes: an assertion's message would escape them.
            names = tf.constant([flag.row.name for flag in flags])
            message = [owner_of_gradient(gradients, position) + " for ", names[first], " has ", what]
            if step is not None:
                message += [" at global step ", tf.strings.as_string(step)]
            with tf.control_dependencies([tf.Assert(all_good, [tf.strings.join(message)])]):
                return tf.no_op()

    # The cause is looked for only in a step that fails. One condition for all gradients: each takes long to build.
    with tf.device(host):
        return [tf.cond(all_good, tf.no_op, fail)]


def _host_of(device: str) -> str:
    """Returns the CPU of a device's process: strings exist on CPUs only."""
    spec = tf.DeviceSpec.from_string(device)
    return str(
        tf.DeviceSpec(
            job=spec.job, replica=spec.replica, task=spec.task, device_type="CPU", device_index=0
        ).to_string()
    )
