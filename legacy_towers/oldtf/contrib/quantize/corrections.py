"""What a batch norm that became part of weights needs in training.

Weights are multiplied by gamma / sigma of the moving averages, which moves little from batch to batch: that is what is
rounded. The layer's output is then corrected to what the batch norm of the batch would give:

    before the averages are frozen: weights *= sigma / moving sigma, outputs /= the same
    afterwards:                     weights *= the same, outputs += gamma (mean / sigma - moving mean / moving sigma)
"""
from typing import Any, NamedTuple, Optional

from legacy_towers.compat import framework, tf
from legacy_towers.oldtf.contrib.quantize import rewiring


class BatchNorm(NamedTuple):
    """The tensors [channels] of a batch norm.

    Attributes:
      gamma: its scale.
      mean: of the batch, or, where it isn't trained, the moving average.
      variance: likewise, without Bessel's correction.
      epsilon: a number, or a tensor.
      moving_mean: the moving average.
      moving_variance: likewise.
      mean_decay: by how much the moving average moves towards the batch's.
      variance_decay: likewise.
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
    """Tensors [channels]: `scale` for weights, `reciprocal` and then `offset` for the layer's outputs."""

    scale: Any
    reciprocal: Any
    offset: Any


def correct(norm: BatchNorm, layer: str, prefix: str, freeze_delay: Optional[int]) -> Corrections:
    """Makes the corrections, and lets the moving averages stand still after `freeze_delay` steps, None: never.

    Args:
      norm: the batch norm.
      layer: its name, for errors.
      prefix: of the name scope.
      freeze_delay: see above.

    Raises:
      ValueError: `norm` has no moving averages that are updated.
    """
    if any(each is None for each in norm):
        raise ValueError(
            "the batch norm behind {!r} can't be folded for training: the operations that move its averages are not "
            "in the graph".format(layer)
        )
    graph = tf.get_default_graph()
    with graph.name_scope(prefix + "batch_norm_correction"):
        of_moving = tf.rsqrt(norm.moving_variance + norm.epsilon)
        of_batch = tf.rsqrt(norm.variance + norm.epsilon)
        scale = tf.divide(of_moving, of_batch, name="scale_compute")
        scale = tf.identity(scale, name="correction_scale")
        reciprocal = tf.reciprocal(scale, name="reciprocal_compute")
        shift = norm.mean * of_batch - norm.moving_mean * of_moving
        offset = tf.multiply(norm.gamma, shift, name="offset_compute")
        if freeze_delay is None:
            return Corrections(scale, reciprocal, tf.zeros(offset.shape))
        frozen = tf.greater_equal(rewiring.step(), freeze_delay, name="use_moving_average")
        _stop(norm.mean_decay, frozen, "freeze_moving_mean")
        _stop(norm.variance_decay, frozen, "freeze_moving_var")
        reciprocal = framework.smart_cond(
            frozen, lambda: tf.ones(scale.shape), lambda: reciprocal, name="correction_recip"
        )
        offset = framework.smart_cond(frozen, lambda: offset, lambda: tf.zeros(offset.shape), name="correction_offset")
        return Corrections(scale, reciprocal, offset)


def _stop(decay: Any, frozen: Any, name: str) -> None:
    readers = list(decay.consumers())
    stopped = tf.cond(frozen, lambda: tf.zeros([], decay.dtype), lambda: decay, name=name)
    rewiring.reroute(stopped, decay, readers)


def layer_like(operation: Any, inputs: Any, weights: Any, name: str) -> Any:
    """Returns the output of the layer that is like `operation`, of other `inputs` and `weights`.

    Raises:
      ValueError: it is no layer that is known.
    """
    kinds = {
        "Conv2D": (tf.raw_ops.Conv2D, ("input", "filter")),
        "DepthwiseConv2dNative": (tf.raw_ops.DepthwiseConv2dNative, ("input", "filter")),
        "MatMul": (tf.raw_ops.MatMul, ("a", "b")),
    }
    if operation.type not in kinds:
        raise ValueError("Cannot handle operation of type: {}".format(operation.type))
    made_by, names = kinds[operation.type]
    options = {
        each.name: _python(operation.get_attr(each.name))
        for each in operation.op_def.attr
        if each.name != "T"
    }
    with tf.device(operation.device):
        return made_by(name=name, **dict(options, **dict(zip(names, (inputs, weights)))))


def behind_batch_to_space(output: Any, batch_to_space: Any, name: str) -> Any:
    """Returns `output` as the operation `batch_to_space` (None: there is none) makes it."""
    if batch_to_space is None:
        return output
    return tf.batch_to_space_nd(output, batch_to_space.inputs[1], batch_to_space.inputs[2], name=name)


def _python(value: Any) -> Any:
    return value.decode() if isinstance(value, bytes) else value
