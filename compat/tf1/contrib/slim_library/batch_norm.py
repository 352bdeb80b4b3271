"""tf.contrib.layers.batch_norm: the variables, collections and numbers of TensorFlow 1.15.

That of tf_slim fails from TensorFlow 2.16 on, where the layer that it uses was removed. TensorFlow 1.15 has three
implementations, which differ in the order and dtype of variables and in the variance; this module reproduces them:

    implementation  used for                                              variables
    layer           default updates_collections, no batch_weights         gamma, beta; float32 or wider; fused if rank 4
    fused           rank 2; rank 4 with other updates_collections         beta, gamma; float32
    unfused         batch_weights; fused=False, other updates_collections  beta, gamma; dtype of the inputs
"""
from typing import Any, Callable, Dict, Optional, Tuple

from legacy_towers.compat.tf1.contrib.slim_library.batch_norm_variables import (
    FUSED,
    LAYER,
    UNFUSED,
    MovingAverages,
    Parameters,
    collect,
    make_parameters,
    with_updates,
)
from legacy_towers.compat.tf1.contrib.slim_library.renorm import Renormalization, composed
from legacy_towers.compat.tf1.contrib.slim_library.tf_slim.layers import utils
from legacy_towers.compat.tf1.contrib.slim_library.tf_slim.ops.arg_scope import add_arg_scope
from legacy_towers.compat.versions import tf


@add_arg_scope
def batch_norm(
    inputs: Any,
    decay: float = 0.999,
    center: bool = True,
    scale: bool = False,
    epsilon: float = 0.001,
    activation_fn: Optional[Callable[[Any], Any]] = None,
    param_initializers: Optional[Dict[str, Any]] = None,
    param_regularizers: Optional[Dict[str, Any]] = None,
    updates_collections: Any = tf.GraphKeys.UPDATE_OPS,
    is_training: Any = True,
    reuse: Optional[bool] = None,
    variables_collections: Any = None,
    outputs_collections: Any = None,
    trainable: bool = True,
    batch_weights: Any = None,
    fused: Optional[bool] = None,
    data_format: str = "NHWC",
    zero_debias_moving_mean: bool = False,
    scope: Any = None,
    renorm: bool = False,
    renorm_clipping: Optional[Dict[str, Any]] = None,
    renorm_decay: float = 0.99,
    adjustment: Optional[Callable[[Any], Tuple[Any, Any]]] = None,
) -> Any:
    """Applies batch normalization (https://arxiv.org/abs/1502.03167) over all dimensions but the channels.

    Args:
      inputs: float tensor [batch, ..., channels], or [batch, channels, ...] for NCHW.
      decay: the decay of the moving averages.
      center: whether to add a variable beta.
      scale: whether to multiply by a variable gamma.
      epsilon: the number that is added to the variance.
      activation_fn: the activation that is applied to the result.
      param_initializers: initializers of beta, gamma, moving_mean and moving_variance, by name.
      param_regularizers: regularizers of beta and gamma, by name.
      updates_collections: the collections for the updates of the moving averages; None: the output depends on them.
      is_training: a bool or a bool tensor; whether to normalize by the batch and update the moving averages.
      reuse: whether to reuse the variables.
      variables_collections: a list of collections, or variable name -> list.
      outputs_collections: the collections for the output.
      trainable: whether beta and gamma are trainable.
      batch_weights: [batch], the weight of each example in mean and variance.
      fused: False never uses the fused operation; None or True use it if possible.
      data_format: "NHWC" or "NCHW".
      zero_debias_moving_mean: whether to correct the bias of moving_mean towards its initial zeros.
      scope: the variable scope.
      renorm: whether to use batch renormalization (https://arxiv.org/abs/1702.03275).
      renorm_clipping: rmax, rmin and dmax of batch renormalization.
      renorm_decay: the decay of the averages of batch renormalization.
      adjustment: a function of the shape of `inputs` that returns (scale, bias), applied in training before gamma and
        beta.

    Returns:
      A tensor like `inputs`.

    Raises:
      ValueError: the rank or the number of channels of `inputs` is unknown, or options are incompatible.
    """
    if data_format not in ("NCHW", "NHWC"):
        raise ValueError("data_format has to be either NCHW or NHWC.")
    inputs = tf.convert_to_tensor(inputs)
    rank = inputs.shape.ndims
    if rank is None:
        raise ValueError("Inputs {} has undefined rank.".format(inputs.name))
    can_fuse = batch_weights is None and not renorm and rank in (2, 4) and adjustment is None
    has_default_updates = updates_collections is tf.GraphKeys.UPDATE_OPS and not zero_debias_moving_mean
    fused = can_fuse and (fused is None or bool(fused))
    if fused and (rank == 2 or not has_default_updates):
        implementation = FUSED
    else:
        implementation = LAYER if has_default_updates and batch_weights is None else UNFUSED
    if implementation == UNFUSED and renorm:
        raise ValueError(
            "renorm is not supported with batch_weights, updates_collections or zero_debias_moving_mean"
        )
    training = _static_or_tensor(is_training)
    with tf.variable_scope(scope, "BatchNorm", [inputs], reuse=reuse) as entered:
        channels_axis = 1 if data_format == "NCHW" else rank - 1
        parameters = make_parameters(
            implementation, inputs, channels_axis, center, scale, trainable, param_initializers or {},
            param_regularizers or {}, variables_collections,
        )  # fmt: skip
        collections = [updates_collections] if isinstance(updates_collections, str) else updates_collections
        if implementation == LAYER and not trainable:
            collections = []  # the layer of 1.15 has no updates then
        moving = MovingAverages(implementation, parameters, decay, zero_debias_moving_mean, training, fused)
        if fused:
            outputs = _fused(inputs, parameters, epsilon, data_format, training, moving, collections)
        else:
            correction = None
            if renorm:
                correction = Renormalization(
                    parameters, param_initializers or {}, renorm_clipping or {}, renorm_decay, epsilon, decay
                )
            outputs = _unfused(
                inputs, parameters, epsilon, channels_axis, training, moving, collections, batch_weights,
                adjustment, correction,
            )  # fmt: skip
        outputs.set_shape(inputs.shape)
        if activation_fn is not None:
            outputs = activation_fn(outputs)
        return utils.collect_named_outputs(outputs_collections, entered.name, outputs)


def _static_or_tensor(is_training: Any) -> Any:
    """Returns the static bool value of `is_training`, or the tensor if that is unknown."""
    if is_training is None:
        return False  # as in the layer of 1.15, if the learning phase of Keras is not fed
    if not isinstance(is_training, tf.Variable) and not tf.is_tensor(is_training):
        return bool(is_training)
    value = utils.constant_value(is_training)
    return is_training if value is None else bool(value)


def _fused(
    inputs: Any,
    parameters: Parameters,
    epsilon: float,
    data_format: str,
    training: Any,
    moving: MovingAverages,
    collections: Any,
) -> Any:
    shape = tf.shape(inputs)
    channels = parameters.moving_mean.shape
    flat = inputs.shape.ndims == 2
    if flat:
        size = channels.as_list()[0]
        inputs = tf.reshape(inputs, [-1, size, 1, 1] if data_format == "NCHW" else [-1, 1, 1, size])
    dtype = parameters.moving_mean.dtype.base_dtype
    gamma = tf.constant(1.0, dtype, channels) if parameters.gamma is None else parameters.gamma
    beta = tf.constant(0.0, dtype, channels) if parameters.beta is None else parameters.beta

    def with_batch_statistics() -> Any:
        return tf.nn.fused_batch_norm(inputs, gamma, beta, epsilon=epsilon, data_format=data_format)

    def with_moving_averages() -> Any:
        return tf.nn.fused_batch_norm(
            inputs,
            gamma,
            beta,
            mean=parameters.moving_mean,
            variance=parameters.moving_variance,
            epsilon=epsilon,
            is_training=False,
            data_format=data_format,
        )

    outputs, mean, variance = utils.smart_cond(training, with_batch_statistics, with_moving_averages)
    if collections is None:
        outputs = with_updates(moving, mean, variance, [outputs])[0]
    else:
        collect(collections, moving.updates(mean, variance))
    return tf.reshape(outputs, shape) if flat else outputs


def _unfused(
    inputs: Any,
    parameters: Parameters,
    epsilon: float,
    channels_axis: int,
    training: Any,
    moving: MovingAverages,
    collections: Any,
    batch_weights: Any,
    adjustment: Any,
    correction: Any,
) -> Any:
    rank = inputs.shape.ndims
    gamma, beta = parameters.gamma, parameters.beta
    mean, variance = parameters.moving_mean, parameters.moving_variance
    if training is not False:
        if adjustment is not None:
            gamma, beta = _adjusted(adjustment, inputs, training, gamma, beta, channels_axis)
        batch_mean, batch_variance = _moments(inputs, channels_axis, batch_weights, mean.dtype.base_dtype)
        new_mean, new_variance = batch_mean, batch_variance
        mean, variance = utils.smart_cond(
            training,
            lambda: (tf.identity(batch_mean), tf.identity(batch_variance)),
            lambda: (tf.identity(parameters.moving_mean), tf.identity(parameters.moving_variance)),
        )
        if correction is not None:
            gamma, beta, updates = correction.apply(
                mean, variance, training, lambda value: _broadcast(value, rank, channels_axis), gamma, beta
            )
            collect(collections, updates)
        elif collections is None:
            mean, variance = with_updates(moving, new_mean, new_variance, [mean, variance])
        else:
            collect(collections, moving.updates(new_mean, new_variance))
    values = [mean, variance, beta, gamma]
    mean, variance, beta, gamma = [
        None if value is None else tf.cast(_broadcast(value, rank, channels_axis), inputs.dtype) for value in values
    ]
    return tf.nn.batch_normalization(inputs, mean, variance, beta, gamma, epsilon)


def _moments(inputs: Any, channels_axis: int, batch_weights: Any, dtype: Any) -> Tuple[Any, Any]:
    rank = inputs.shape.ndims
    axes = [axis for axis in range(rank) if axis != channels_axis]
    if batch_weights is None:
        return tf.nn.moments(tf.cast(inputs, dtype), axes)
    batch_weights = tf.convert_to_tensor(batch_weights)
    inputs.shape[0:1].assert_is_compatible_with(batch_weights.shape)
    return tf.nn.weighted_moments(inputs, axes, tf.reshape(batch_weights, [-1] + [1] * (rank - 1)))


def _broadcast(value: Any, rank: int, channels_axis: int) -> Any:
    """Reshapes `value` [channels] so that it broadcasts over the inputs."""
    if value is None or channels_axis == rank - 1 or value.shape.ndims == rank:
        return value
    return tf.reshape(value, [1] * channels_axis + [-1] + [1] * (rank - channels_axis - 1))


def _adjusted(
    adjustment: Any, inputs: Any, training: Any, gamma: Any, beta: Any, channels_axis: int
) -> Tuple[Any, Any]:
    scale, bias = adjustment(tf.shape(inputs))
    scale = utils.smart_cond(training, lambda: tf.identity(scale), lambda: tf.ones_like(scale))
    bias = utils.smart_cond(training, lambda: tf.identity(bias), lambda: tf.zeros_like(bias))
    rank = inputs.shape.ndims
    return composed(
        scale, bias, _broadcast(gamma, rank, channels_axis), _broadcast(beta, rank, channels_axis)
    )
