"""Batch renormalization: corrects the statistics of a batch to those of the moving averages.

Sergey Ioffe, "Batch Renormalization: Towards Reducing Minibatch Dependence in Batch-Normalized Models",
https://arxiv.org/abs/1702.03275.
"""
import math
from typing import Any, Callable, Dict, List, Tuple

from legacy_towers.compat.tf1.contrib.private.moving_averages import assign_moving_average
from legacy_towers.compat.tf1.contrib.slim_library.tf_slim.layers import utils
from legacy_towers.compat.tf1.contrib.slim_library.tf_slim.ops.variables import model_variable
from legacy_towers.compat.versions import tf


def composed(scale: Any, offset: Any, then_scale: Any, then_offset: Any) -> Tuple[Any, Any]:
    """Returns (scale, offset) of (x * scale + offset) * then_scale + then_offset; the last two may be None."""
    if then_scale is not None:
        scale, offset = scale * then_scale, offset * then_scale
    return scale, offset if then_offset is None else offset + then_offset


class Renormalization:
    """The variables of batch renormalization, and the correction of a batch.

    Args:
      parameters: the Parameters of the batch_norm.
      initializers: `param_initializers` of the batch_norm.
      clipping: rmax, rmin and dmax.
      decay: the decay of renorm_mean and renorm_stddev.
      epsilon: the number that is added to variances.
      moving_decay: the decay of moving_mean, moving_variance and moving_stddev.

    Raises:
      ValueError: `clipping` has other keys.
    """

    def __init__(
        self,
        parameters: Any,
        initializers: Dict[str, Any],
        clipping: Dict[str, Any],
        decay: float,
        epsilon: float,
        moving_decay: float,
    ) -> None:
        keys = ["rmax", "rmin", "dmax"]
        if set(clipping) - set(keys):
            raise ValueError("renorm_clipping {} contains keys not in {}".format(clipping, keys))
        self._parameters = parameters
        self._clipping = clipping
        self._decay = decay
        self._epsilon = epsilon
        self._moving_decay = moving_decay
        variance_initializer = initializers.get("moving_variance", tf.ones_initializer())

        def stddev_initializer(shape: Any, dtype: Any = None, partition_info: Any = None) -> Any:
            return tf.sqrt(variance_initializer(shape, dtype=dtype))

        self._moving_stddev = self._variable("moving_stddev", stddev_initializer)
        self._renorm_mean = self._variable("renorm_mean", initializers.get("moving_mean", tf.zeros_initializer()))
        self._renorm_stddev = self._variable("renorm_stddev", stddev_initializer)

    def _variable(self, name: str, initializer: Any) -> Any:
        like = self._parameters.moving_mean
        with tf.variable_scope(tf.get_variable_scope()) as same:
            same.set_partitioner(None)
            return model_variable(
                name, shape=like.shape, dtype=like.dtype.base_dtype, initializer=initializer, trainable=False
            )

    def apply(
        self, mean: Any, variance: Any, training: Any, broadcast: Callable[[Any], Any], gamma: Any, beta: Any
    ) -> Tuple[Any, Any, List[Any]]:
        """Returns (scale, offset) to apply to the normalized batch, and the updates of the moving averages."""
        stddev = tf.sqrt(variance + self._epsilon)
        renorm_stddev = tf.maximum(self._renorm_stddev, math.sqrt(self._epsilon))
        ratio = stddev / renorm_stddev
        shift = (mean - self._renorm_mean) / renorm_stddev
        with tf.control_dependencies([ratio, shift]):  # before the averages are updated
            mean, stddev = tf.identity(mean), tf.identity(stddev)
        ratio, shift = self._clipped(ratio, shift)
        used_ratio, used_shift = utils.smart_cond(
            training,
            lambda: (tf.identity(ratio), tf.identity(shift)),
            lambda: (tf.ones_like(ratio), tf.zeros_like(shift)),
        )
        scale, offset = composed(
            broadcast(tf.stop_gradient(used_ratio)),
            broadcast(tf.stop_gradient(used_shift)),
            broadcast(gamma),
            broadcast(beta),
        )
        updated = [
            self._updated(training, self._renorm_mean, mean, self._decay),
            self._updated(training, self._renorm_stddev, stddev, self._decay),
        ]
        with tf.control_dependencies(updated):
            mean, variance = tf.identity(mean), tf.identity(variance)
        updates = [
            self._updated(training, self._parameters.moving_mean, mean, self._moving_decay),
            utils.smart_cond(
                training,
                lambda: self._updated_variance(variance),
                lambda: tf.identity(self._parameters.moving_variance),
            ),
        ]
        return scale, offset, updates

    def _clipped(self, ratio: Any, shift: Any) -> Tuple[Any, Any]:
        if self._clipping.get("rmin") is not None:
            ratio = tf.maximum(ratio, self._clipping["rmin"])
        if self._clipping.get("rmax") is not None:
            ratio = tf.minimum(ratio, self._clipping["rmax"])
        if self._clipping.get("dmax") is not None:
            shift = tf.minimum(tf.maximum(shift, -self._clipping["dmax"]), self._clipping["dmax"])
        return ratio, shift

    def _updated(self, training: Any, variable: Any, value: Any, decay: float) -> Any:
        return utils.smart_cond(
            training, lambda: assign_moving_average(variable, value, decay), lambda: tf.identity(variable)
        )

    def _updated_variance(self, variance: Any) -> Any:
        stddev = assign_moving_average(self._moving_stddev, tf.sqrt(variance + self._epsilon), self._moving_decay)
        return tf.assign(self._parameters.moving_variance, tf.nn.relu(stddev * stddev - self._epsilon))
