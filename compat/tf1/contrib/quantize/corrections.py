"""Corrections for the training of batch norms that are folded into weights.

Quantized weights are scaled by gamma / moving sigma, which changes little from batch to batch. The output of the layer
is then corrected to the result of the batch norm with the statistics of the batch:

    before the averages are frozen: weights *= sigma / moving sigma, outputs *= moving sigma / sigma
    afterwards:                     weights *= sigma / moving sigma,
                                    outputs += gamma (mean / sigma - moving mean / moving sigma)
"""
from typing import Any, NamedTuple, Optional

from legacy_towers.compat.tf1.contrib.private import framework
from legacy_towers.compat.tf1.contrib.quantize import rewiring
from legacy_towers.compat.versions import tf


class BatchNorm(NamedTuple):
    """The tensors [channels] of a batch norm.

    Attributes:
      gamma: the scale.
      mean: the mean of the batch; in evaluation, the moving mean.
      variance: the variance of the batch, without Bessel's correction; in evaluation, the moving variance.
      epsilon: a number or a tensor.
      moving_mean: the moving mean.
      moving_variance: the moving variance.
      mean_decay: the scalar tensor 1 - decay of the moving mean.
      variance_decay: the scalar tensor 1 - decay of the moving variance.
    """

    gamma: Any
    mean: Any
    variance: Any
    epsilon: Any
    moving_mean: Any
    moving_variance: Any
    mean_decay: Any
    variance_decay: Any


class Corrections(NamedTuple):
    """Tensors [channels]: weights are multiplied by `scale`, outputs by `reciprocal`; then `offset` is added."""

    scale: Any
    reciprocal: Any
    offset: Any


def correct(norm: BatchNorm, layer: str, prefix: str, freeze_delay: Optional[int]) -> Corrections:
    """Builds the corrections.

    Args:
      norm: the batch norm.
      layer: the name of the layer, for errors.
      prefix: the prefix of the name scope.
      freeze_delay: the number of steps after which the moving averages are frozen; None: never.

    Raises:
      ValueError: the graph does not update the moving averages of `norm`.
    """
    if any(each is None for each in norm):
        raise ValueError(
            "cannot fold the batch norm of layer {!r} for training: the graph lacks the operations that update its "
            "moving averages".format(layer)
        )
    graph = tf.get_default_graph()
    with graph.name_scope(prefix + "batch_norm_correction"):
        moving_rsqrt = tf.rsqrt(norm.moving_variance + norm.epsilon)
        batch_rsqrt = tf.rsqrt(norm.variance + norm.epsilon)
        scale = tf.divide(moving_rsqrt, batch_rsqrt, name="scale_compute")
        scale = tf.identity(scale, name="correction_scale")
        reciprocal = tf.reciprocal(scale, name="reciprocal_compute")
        shift = norm.mean * batch_rsqrt - norm.moving_mean * moving_rsqrt
        offset = tf.multiply(norm.gamma, shift, name="offset_compute")
        if freeze_delay is None:
            return Corrections(scale, reciprocal, tf.zeros(offset.shape))
        frozen = tf.greater_equal(rewiring.step(), freeze_delay, name="use_moving_average")
        _freeze(norm.mean_decay, frozen, "freeze_moving_mean")
        _freeze(norm.variance_decay, frozen, "freeze_moving_var")
        reciprocal = framework.smart_cond(
            frozen, lambda: tf.ones(scale.shape), lambda: reciprocal, name="correction_recip"
        )
        offset = framework.smart_cond(frozen, lambda: offset, lambda: tf.zeros(offset.shape), name="correction_offset")
        return Corrections(scale, reciprocal, offset)


def _freeze(decay: Any, frozen: Any, name: str) -> None:
    readers = list(decay.consumers())
    decay_or_zero = tf.cond(frozen, lambda: tf.zeros([], decay.dtype), lambda: decay, name=name)
    rewiring.reroute(decay_or_zero, decay, readers)


def copy_layer(operation: Any, inputs: Any, weights: Any, name: str) -> Any:
    """Copies the layer `operation` with other inputs and weights; returns the output of the copy.

    Raises:
      ValueError: `operation` is not a Conv2D, DepthwiseConv2dNative or MatMul.
    """
    kinds = {
        "Conv2D": (tf.raw_ops.Conv2D, ("input", "filter")),
        "DepthwiseConv2dNative": (tf.raw_ops.DepthwiseConv2dNative, ("input", "filter")),
        "MatMul": (tf.raw_ops.MatMul, ("a", "b")),
    }
    if operation.type not in kinds:
        raise ValueError("Cannot handle operation of type: {}".format(operation.type))
    function, names = kinds[operation.type]
    options = {
        each.name: _decoded(operation.get_attr(each.name))
        for each in operation.op_def.attr
        if each.name != "T"
    }
    with tf.device(operation.device):
        return function(name=name, **dict(options, **dict(zip(names, (inputs, weights)))))


def apply_batch_to_space(output: Any, batch_to_space: Any, name: str) -> Any:
    """Applies a copy of the operation `batch_to_space` to `output`; None returns `output`."""
    if batch_to_space is None:
        return output
    return tf.batch_to_space_nd(output, batch_to_space.inputs[1], batch_to_space.inputs[2], name=name)


def _decoded(value: Any) -> Any:
    return value.decode() if isinstance(value, bytes) else value
