"""The variables of a batch_norm, with the order and dtypes of TensorFlow 1.15, and updates of its moving averages."""
from typing import Any, Dict, List, NamedTuple

from legacy_towers.compat.tf1.contrib.private.moving_averages import assign_moving_average
from legacy_towers.compat.tf1.contrib.slim_library.tf_slim.layers import utils
from legacy_towers.compat.tf1.contrib.slim_library.tf_slim.ops.variables import model_variable
from legacy_towers.compat.versions import tf

# The implementations of TensorFlow 1.15, see batch_norm.py.
LAYER, FUSED, UNFUSED = "layer", "fused", "unfused"


class Parameters(NamedTuple):
    """The variables of a batch_norm; beta is None without `center`, gamma is None without `scale`."""

    beta: Any
    gamma: Any
    moving_mean: Any
    moving_variance: Any


def make_parameters(
    implementation: str,
    inputs: Any,
    channels_axis: int,
    center: bool,
    scale: bool,
    trainable: bool,
    initializers: Dict[str, Any],
    regularizers: Dict[str, Any],
    collections: Any,
) -> Parameters:
    """Creates the variables; the arguments are those of batch_norm.

    Raises:
      ValueError: the number of channels is unknown.
    """
    shape = inputs.shape[channels_axis : channels_axis + 1]
    if not shape.is_fully_defined():
        raise ValueError("Inputs {} has undefined channels dimension {}.".format(inputs.name, shape))
    dtype = inputs.dtype.base_dtype
    if implementation == FUSED or (implementation == LAYER and dtype in (tf.float16, tf.bfloat16)):
        dtype = tf.float32
    if implementation == UNFUSED:
        regularizers = {}  # as in TensorFlow 1.15

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

    options = {"beta": (center, tf.zeros_initializer()), "gamma": (scale, tf.ones_initializer())}
    variables: Dict[str, Any] = {"beta": None, "gamma": None}
    for name in ("gamma", "beta") if implementation == LAYER else ("beta", "gamma"):
        if options[name][0]:
            variables[name] = variable(name, options[name][1], trainable)
    with tf.variable_scope(tf.get_variable_scope()) as same:
        same.set_partitioner(None)  # partitioned moving averages cannot be assigned
        variables["moving_mean"] = variable("moving_mean", tf.zeros_initializer(), False)
        variables["moving_variance"] = variable("moving_variance", tf.ones_initializer(), False)
    return Parameters(**variables)


class MovingAverages(NamedTuple):
    """How the moving averages of a batch_norm are updated."""

    implementation: str
    parameters: Parameters
    decay: float
    zero_debias: bool
    training: Any
    fused: bool

    def updates(self, mean: Any, variance: Any) -> List[Any]:
        """Returns the updates of moving_mean and moving_variance; [] if `training` is False."""
        if self.training is False:
            return []
        if self.implementation == LAYER and self.fused:
            # The layer computes 1 - decay in float32; without training it updates by 0.
            decay = utils.smart_cond(self.training, lambda: tf.convert_to_tensor(self.decay), lambda: tf.constant(1.0))
            return self._assigned(mean, variance, decay)
        unchanged = [self.parameters.moving_mean, self.parameters.moving_variance]
        return list(
            utils.smart_cond(
                self.training,
                lambda: self._assigned(mean, variance, self.decay),
                lambda: [tf.identity(variable) for variable in unchanged],
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


def with_updates(moving: MovingAverages, mean: Any, variance: Any, values: List[Any]) -> List[Any]:
    """Returns `values` with control dependencies on the updates."""
    updates = moving.updates(mean, variance)
    if not updates:
        return values
    with tf.control_dependencies(updates):
        return [tf.identity(value) for value in values]
