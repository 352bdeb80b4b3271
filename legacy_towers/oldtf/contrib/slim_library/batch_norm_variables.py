"""The variables of one batch_norm, in the order and with the dtypes of TensorFlow 1.15, and how its averages move."""
from typing import Any, Dict, List, NamedTuple

from legacy_towers.compat import tf
from legacy_towers.compat.moving_averages import assign_moving_average
from legacy_towers.oldtf.contrib.slim_library.tf_slim.layers import utils
from legacy_towers.oldtf.contrib.slim_library.tf_slim.ops.variables import model_variable

# The three ways of 1.15: see batch_norm.
LAYER, FUSED, BY_HAND = "layer", "fused", "by hand"


class Parameters(NamedTuple):
    """The variables of one batch_norm; beta and gamma are None where they were not asked for."""

    beta: Any
    gamma: Any
    moving_mean: Any
    moving_variance: Any


def make_parameters(
    way: str,
    inputs: Any,
    channels_axis: int,
    center: bool,
    scale: bool,
    trainable: bool,
    initializers: Dict[str, Any],
    regularizers: Dict[str, Any],
    collections: Any,
) -> Parameters:
    """Returns the variables; arguments are those of batch_norm.

    Raises:
      ValueError: the number of channels is not known.
    """
    shape = inputs.shape[channels_axis : channels_axis + 1]
    if not shape.is_fully_defined():
        raise ValueError("Inputs {} has undefined channels dimension {}.".format(inputs.name, shape))
    dtype = inputs.dtype.base_dtype
    if way == FUSED or (way == LAYER and dtype in (tf.float16, tf.bfloat16)):
        dtype = tf.float32
    if way == BY_HAND:
        regularizers = {}  # as 1.15 does

    def variable(name: str, default: Any, trainable: bool) -> Any:
        return model_variable(
            name,
            shape=shape,
            dtype=dtype,
            initializer=initializers.get(name, default),
            regularizer=regularizers.get(name) if name in ("beta", "gamma") else None,
            collections=utils.get_variable_collections(collections, name),
            trainable=trainable,
        )

    asked = {"beta": (center, tf.zeros_initializer()), "gamma": (scale, tf.ones_initializer())}
    made: Dict[str, Any] = {"beta": None, "gamma": None}
    for name in ("gamma", "beta") if way == LAYER else ("beta", "gamma"):
        if asked[name][0]:
            made[name] = variable(name, asked[name][1], trainable)
    with tf.variable_scope(tf.get_variable_scope()) as same:
        same.set_partitioner(None)  # moving averages of partitioned variables can't be assigned
        made["moving_mean"] = variable("moving_mean", tf.zeros_initializer(), False)
        made["moving_variance"] = variable("moving_variance", tf.ones_initializer(), False)
    return Parameters(**made)


class Moving(NamedTuple):
    """How the moving averages of one batch_norm move."""

    way: str
    parameters: Parameters
    decay: float
    zero_debias: bool
    training: Any
    fused: bool

    def updates(self, mean: Any, variance: Any) -> List[Any]:
        """Returns the updates of moving_mean and moving_variance, none of them where it is known not to train."""
        if self.training is False:
            return []
        if self.way == LAYER and self.fused:
            # The layer reckons 1 - decay in float32, and moves by 0 where it does not train.
            decay = utils.smart_cond(self.training, lambda: tf.convert_to_tensor(self.decay), lambda: tf.constant(1.0))
            return self._assigned(mean, variance, decay)
        kept = [self.parameters.moving_mean, self.parameters.moving_variance]
        return list(
            utils.smart_cond(
                self.training,
                lambda: self._assigned(mean, variance, self.decay),
                lambda: [tf.identity(variable) for variable in kept],
            )
        )

    def _assigned(self, mean: Any, variance: Any, decay: Any) -> List[Any]:
        return [
            assign_moving_average(self.parameters.moving_mean, mean, decay, zero_debias=self.zero_debias),
            assign_moving_average(self.parameters.moving_variance, variance, decay),
        ]


def collect(collections: Any, updates: List[Any]) -> None:
    """Adds each of `updates` to each of `collections`."""
    for update in updates:
        for collection in collections:
            tf.add_to_collection(collection, update)


def with_updates(moving: Moving, mean: Any, variance: Any, values: List[Any]) -> List[Any]:
    """Returns `values`, which are ready only after the updates."""
    updates = moving.updates(mean, variance)
    if not updates:
        return values
    with tf.control_dependencies(updates):
        return [tf.identity(value) for value in values]
