"""Batch norm over the examples of all towers, as on one device with all examples."""
import numbers
from typing import Any, List, Optional, Tuple

from legacy_towers.compat import tf
from legacy_towers.errors import ArgumentError, TowerError
from legacy_towers.tensor_types import Tensor, Variable
from legacy_towers.towers.connected_towers import TowerContext, current_tower
from legacy_towers.towers.cross_tower_tensor import LAYER
from legacy_towers.towers.output import TRAIN


def cross_tower_batch_norm(
    inputs: Tensor,
    training: bool,
    axis: int = -1,
    momentum: float = 0.99,
    epsilon: float = 1e-3,
    center: bool = True,
    scale: bool = True,
    beta_initializer: Optional[Any] = None,
    gamma_initializer: Optional[Any] = None,
    moving_mean_initializer: Optional[Any] = None,
    moving_variance_initializer: Optional[Any] = None,
    beta_regularizer: Optional[Any] = None,
    gamma_regularizer: Optional[Any] = None,
    trainable: bool = True,
    name: Optional[str] = None,
    reuse: Optional[Any] = None,
) -> Tensor:
    """Normalizes by the mean and variance over the examples of all towers that train (synchronized batch norm).

        hidden = lt.cross_tower_batch_norm(hidden, training=mode == lt.TRAIN)

    For the model function of `lt.build_train_step`. With any number of towers it computes what
    `tf.layers.batch_normalization(fused=False)` computes on one device with all towers' examples: activations,
    gradients and moving statistics. With training=False it normalizes by the moving statistics, in any graph. Its
    variables have the names of those of `tf.layers.batch_normalization`, so that each restores the other's checkpoints.
    (The fused form of that layer, the default for images, multiplies the moving variance by n / (n - 1).)

    UPDATE_OPS write the moving statistics, the same value in each tower, so that `update_ops="first"`, "all" and "mean"
    give the same. Where a model uses a layer twice (reuse=True), one write applies both updates.

    Args:
      inputs: floating-point tensor whose first axis is the example; its size along `axis` must be static. For float16
        and bfloat16, moments and variables are float32.
      training: True in towers that train, else False.
      axis: the axis that is normalized index by index: -1, or 1 for NCHW.
      momentum: of the moving statistics: moving * momentum + batch * (1 - momentum); from 0 to 1.
      epsilon: added to the variance; 0 or more.
      center: whether to add a variable `beta`.
      scale: whether to multiply by a variable `gamma`.
      beta_initializer, gamma_initializer, moving_mean_initializer, moving_variance_initializer: of the variables; None:
        zeros, ones, zeros, ones.
      beta_regularizer, gamma_regularizer: functions of a variable that return a loss, or None.
      trainable: whether `beta` and `gamma` are trainable variables.
      name: the variable scope; by default batch_normalization, batch_normalization_1 and so on.
      reuse: as in `tf.variable_scope`.

    Returns:
      A tensor of the shape and dtype of `inputs`.

    Raises:
      ArgumentError: `training` is a tensor; the axis or its size is unknown; `momentum` or `epsilon` is out of range;
        the towers don't take steps together.
      TowerError: training=True outside of the towers of a step, in a tower that does not train, or inside tf.cond or
        tf.while_loop; or the towers use such layers in different orders.

    Source of the method: Ioffe and Szegedy, "Batch Normalization", 2015; the variance of all from that of parts: Chan,
    Golub and LeVeque, "Updating Formulae and a Pairwise Algorithm for Computing Sample Variances", 1979.
    """
    inputs = tf.convert_to_tensor(inputs)
    if tf.is_tensor(training) or training not in (True, False):
        raise ArgumentError(
            "training is {!r} in {}: give True or False, such as mode == lt.TRAIN".format(training, LAYER)
        )
    _check_between("momentum", momentum, 0.0, 1.0)
    _check_between("epsilon", epsilon, 0.0, float("inf"))
    axis, size = _axis(inputs, axis)
    statistics_dtype = tf.float32 if inputs.dtype in (tf.float16, tf.bfloat16) else inputs.dtype.base_dtype
    with tf.variable_scope(name, default_name="batch_normalization", values=[inputs], reuse=reuse) as scope:
        scope.set_partitioner(None)

        def variable(kind: str, initializer: Any, regularizer: Any, is_trained: bool) -> Variable:
            return tf.get_variable(
                kind, [size], statistics_dtype, initializer, regularizer, trainable=is_trained and trainable
            )

        ones, zeros = tf.ones_initializer(), tf.zeros_initializer()
        gamma = variable("gamma", gamma_initializer or ones, gamma_regularizer, True) if scale else None
        beta = variable("beta", beta_initializer or zeros, beta_regularizer, True) if center else None
        moving_mean = variable("moving_mean", moving_mean_initializer or zeros, None, False)
        moving_variance = variable("moving_variance", moving_variance_initializer or ones, None, False)

        wide = tf.cast(inputs, statistics_dtype)
        if training:
            statistics = (moving_mean, moving_variance)
            mean, variance = _training_moments(wide, axis, size, momentum, statistics, scope.name)
        else:
            mean, variance = tf.convert_to_tensor(moving_mean), tf.convert_to_tensor(moving_variance)

        shape = [1] * inputs.shape.ndims
        shape[axis] = size

        def along_axis(values: Optional[Tensor]) -> Optional[Tensor]:
            if values is None or axis == inputs.shape.ndims - 1:
                return values
            return tf.reshape(values, shape)

        outputs = tf.nn.batch_normalization(
            wide, along_axis(mean), along_axis(variance), along_axis(beta), along_axis(gamma), epsilon
        )
        outputs = tf.cast(outputs, inputs.dtype)
        outputs.set_shape(inputs.shape)
        return outputs


def _check_between(name: str, value: Any, least: float, most: float) -> None:
    if not isinstance(value, numbers.Real) or not least <= float(value) <= most:
        raise ArgumentError(
            "{} is {!r} in {}: give a number {}".format(
                name, value, LAYER, "of 0 or more" if most == float("inf") else "from {:g} to {:g}".format(least, most)
            )
        )


def _axis(inputs: Tensor, axis: int) -> Tuple[int, int]:
    rank = inputs.shape.ndims
    if rank is None or not inputs.dtype.is_floating:
        raise ArgumentError(
            "the inputs of {} are {!r}: give a floating-point tensor of static rank".format(LAYER, inputs)
        )
    position = (axis + rank if axis < 0 else axis) if isinstance(axis, int) else -1
    if not 0 < position < rank:
        raise ArgumentError(
            "axis is {!r} in {}: the inputs have shape {}, and axis 0 is the example".format(axis, LAYER, inputs.shape)
        )
    size = tf.dimension_value(inputs.shape[position])
    if size is None:
        raise ArgumentError(
            "the inputs of {} have shape {}: the size along axis {} must be static".format(LAYER, inputs.shape, axis)
        )
    return position, int(size)


def _training_tower(name: str) -> TowerContext:
    tower = current_tower()
    if tower is None:
        raise TowerError(
            "{} {!r} with training=True works only in the model function of lt.build_train_step, where the towers are "
            "connected. Elsewhere use tf.layers.batch_normalization, which normalizes by each tower's own examples, or "
            "pass training=False".format(LAYER, name)
        )
    if tower.mode != TRAIN:
        raise TowerError(
            "{} {!r} has training=True in tower {}, which is built for mode {!r}: pass training=mode == "
            "lt.TRAIN".format(LAYER, name, tower.index, tower.mode)
        )
    return tower


def _training_moments(
    values: Tensor, axis: int, size: int, momentum: float, statistics: Tuple[Variable, Variable], name: str
) -> Tuple[Tensor, Tensor]:
    """Returns mean and variance over the examples of all towers, and adds updates of the moving statistics."""
    tower = _training_tower(name)
    examples, mean, variance = _moments_over_towers(values, axis, size, tower, name)
    # Rounded to float32 first, as in tf.layers, so that float64 statistics equal those of tf.layers.
    rate = tf.cast(tf.constant(1.0 - momentum, tf.float32), values.dtype)
    if tower.examples.count is not None:
        # A step without true examples leaves the statistics as they are.
        rate *= tf.cast(tf.greater(examples, 0), values.dtype)
    for moving, value in zip(statistics, (mean, variance)):
        _update(moving, value, rate, tower, name)
    return mean, variance


def _moments_over_towers(
    values: Tensor, axis: int, size: int, tower: TowerContext, name: str
) -> Tuple[Tensor, Tensor, Tensor]:
    """Returns the number of values per index of the axis, their mean and their variance, over all towers' examples."""
    rows = _true_rows(values, tower, name)
    count = tf.cast(tf.size(rows) // size, values.dtype)
    if tower.examples.count is not None:
        # A tower without a true example computes on a copy of one, which counts 0.
        count *= tf.cast(tf.greater(tower.examples.count, 0), values.dtype)
    axes: List[int] = [each for each in range(values.shape.ndims) if each != axis]
    mean, variance = tf.nn.moments(rows, axes)
    own = tf.concat([[count], mean, variance], axis=0)
    counts, means, variances = tf.split(tower.cross_tower.stack_over_towers(own, name), [1, size, size], axis=1)
    total = tf.reduce_sum(counts)
    weights = tf.div_no_nan(counts, total)
    mean = tf.reduce_sum(weights * means, axis=0)
    # Chan et al.: the variance within the towers plus the variance of their means.
    variance = tf.reduce_sum(weights * (variances + tf.squared_difference(means, mean)), axis=0)
    return total, mean, variance


def _true_rows(values: Tensor, tower: TowerContext, name: str) -> Tensor:
    if not tower.examples.padded or tower.examples.count is None:
        return values
    rows = tower.examples.rows()
    if rows is None:
        raise TowerError(
            '{} {!r}: remainder="pad" fills the last batch of tower {} with copies, and that batch has no dense '
            'component by which the number of rows is known. Use remainder="short"'.format(LAYER, name, tower.index)
        )
    fits = tf.Assert(
        tf.equal(tf.shape(values)[0], tf.shape(rows)[0]),
        [
            '{} {!r}: with remainder="pad" there must be one row per example; rows, examples:'.format(LAYER, name),
            tf.shape(values),
            tf.shape(rows),
        ],
    )
    with tf.control_dependencies([fits]):
        return values[: tf.maximum(tower.examples.count, 1)]


def _update(moving: Variable, value: Tensor, rate: Tensor, tower: TowerContext, name: str) -> None:
    """Adds to UPDATE_OPS the operation that moves the statistic `moving` towards `value`."""
    key = moving.op.name
    updates = tf.get_collection_ref(tf.GraphKeys.UPDATE_OPS)
    with tf.device(moving.device), tf.name_scope("AssignMovingAvg"):
        before = tf.convert_to_tensor(moving)
        if key in tower.moving_statistics:
            # The layer is used again: one write applies both updates, so that neither is lost.
            before, earlier = tower.moving_statistics[key]
            updates[:] = [each for each in updates if each is not earlier]
        # Computed by the first tower alone, so that the result does not depend on which towers' updates run.
        after = tower.cross_tower.of_first_tower(before - (before - tf.stop_gradient(value)) * rate, name)
        write = moving.assign(after, read_value=False)
    tower.moving_statistics[key] = (after, write)
    updates.append(write)
