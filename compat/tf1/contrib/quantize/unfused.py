"""Folds unfused batch norms of tf.contrib.layers into the weights of their layers.

They are found by name, as in TensorFlow 1.15: .../BatchNorm/batchnorm.
"""
import re
from typing import Any, List, Optional, Tuple

from legacy_towers.compat.tf1.contrib.quantize import corrections, rewiring
from legacy_towers.compat.versions import tf

_NAME = re.compile(r"^(.*)BatchNorm/batchnorm(_\d+)?/")
_ACTIVATIONS = ("Relu6", "Relu", "Identity")


def fold(graph: Any, is_training: bool, freeze_delay: Optional[int]) -> None:
    """Folds the unfused batch norms of `graph`; in training, freezes moving averages after `freeze_delay` steps."""
    readers = rewiring.Readers(graph)
    for context in _contexts(graph):
        inside = context + "BatchNorm/batchnorm_1/"
        if _operation(graph, inside + "add_1") is None:
            inside = context + "BatchNorm/batchnorm/"
        shifted = graph.get_operation_by_name(inside + "add_1")
        if shifted.outputs[0].consumers():
            folded = _fold(graph, context, inside, readers, is_training, freeze_delay)
            _reroute(graph, context, shifted.outputs[0], folded)


def _contexts(graph: Any) -> List[str]:
    """Returns the prefixes before BatchNorm/ in the names of batch norms."""
    found = [_NAME.match(operation.name) for operation in list(graph.get_operations())]
    contexts = [match.group(1) for match in found if match is not None]
    return list(dict.fromkeys(context for context in contexts if not rewiring.is_skipped(context)))


def _fold(
    graph: Any, context: str, inside: str, readers: rewiring.Readers, is_training: bool, freeze_delay: Optional[int]
) -> Any:
    """Creates the layer with the batch norm folded into its weights; returns its output."""
    rsqrt = graph.get_operation_by_name(inside + "Rsqrt")
    # Without gamma, outputs and mean are multiplied by the Rsqrt itself.
    has_gamma = sum(reader.type == "Mul" for reader in readers.of(rsqrt)) == 1
    scaled = graph.get_operation_by_name(inside + ("mul_1" if has_gamma else "mul"))
    scale = graph.get_operation_by_name(inside + "mul").outputs[0] if has_gamma else rsqrt.outputs[0]
    layer = scaled.inputs[0].op
    batch_to_space = None
    if layer.type == "BatchToSpaceND":
        batch_to_space, layer = layer, layer.inputs[0].op
    weights = layer.inputs[1]
    shape = weights.shape.as_list()[2:] if layer.type == "DepthwiseConv2dNative" else None
    correction = None
    with tf.device(scaled.device):
        if is_training:
            norm = _batch_statistics(graph, context, inside, has_gamma)
            correction = corrections.correct(norm, layer.name, context, freeze_delay)
        if shape is not None:
            scale = tf.reshape(scale, shape, name=context + "scale_reshape")
        if correction is not None:
            weight_scale = correction.scale
            if shape is not None:
                weight_scale = tf.reshape(weight_scale, shape, name=context + "correction_reshape")
            weights = tf.multiply(weight_scale, weights, name=context + "correction_mult")
        weights = tf.multiply(weights, scale, name=context + "mul_fold")
        output = corrections.copy_layer(layer, layer.inputs[0], weights, layer.name + "_Fold")
        if batch_to_space is not None:
            output = corrections.apply_batch_to_space(output, batch_to_space, batch_to_space.name + "_Fold")
        if correction is not None:
            output = tf.multiply(correction.reciprocal, output, name=context + "post_conv_mul")
            output = tf.add(output, correction.offset, name=context + "correction_add")
        shifted = graph.get_operation_by_name(inside + "add_1")
        return tf.add(output, shifted.inputs[1], name=context + "add_fold")


def _reroute(graph: Any, context: str, old: Any, new: Any) -> None:
    """Replaces the output `old` of a batch norm by `new` in its activation, or in all readers if there is none."""
    for name in [context + activation for activation in _ACTIVATIONS]:
        activation = _operation(graph, name)
        if activation is not None:
            if rewiring.reroute(new, old, [activation]) != 1:
                raise ValueError("Unexpected inputs to op: {}".format(name))
            return
    # A bypass, or the next layer.
    rewiring.reroute(new, old)


def _batch_statistics(graph: Any, context: str, inside: str, has_gamma: bool) -> corrections.BatchNorm:
    moving_mean = _variable(graph, context, "moving_mean")
    gamma = _variable(graph, context, "gamma") if has_gamma else None
    if gamma is None and moving_mean is not None:
        gamma = tf.ones(moving_mean.shape)
    return corrections.BatchNorm(
        gamma,
        _nearest(graph, context, "BatchNorm/moments/Squeeze"),
        _nearest(graph, context, "BatchNorm/moments/Squeeze_1"),
        graph.get_operation_by_name(inside + "add/y").outputs[0],
        moving_mean,
        _variable(graph, context, "moving_variance"),
        _nearest(graph, context, "BatchNorm/AssignMovingAvg/decay"),
        _nearest(graph, context, "BatchNorm/AssignMovingAvg_1/decay"),
    )


def _variable(graph: Any, context: str, name: str) -> Any:
    """Returns the value of the variable `name` of the batch norm in `context`, a ref or resource variable."""
    endings = ("/read", "/Read/ReadVariableOp")
    if tf.get_variable_scope().use_resource:
        endings = endings[::-1]
    for ending in endings:
        found = _nearest(graph, context, "BatchNorm/" + name + ending)
        if found is not None:
            return found
    return None


def _nearest(graph: Any, context: str, ending: str) -> Any:
    """Returns the tensor whose name has the suffix `ending` and the most scopes in common with `context`, or None.

    The scope of variables may be MobilenetV1/Conv2d_0/ and that of operations MobilenetV1/MobilenetV1/Conv2d_0/, or a
    scope inside of a tower.
    """
    parts = set(context.split("/"))
    best: Tuple[int, Any] = (0 if context else -1, None)
    for operation in list(graph.get_operations()):
        if operation.name.endswith(ending):
            shared = len(parts.intersection(operation.name.split("/")))
            if shared > best[0]:
                best = shared, operation
    return None if best[1] is None else best[1].outputs[0]


def _operation(graph: Any, name: str) -> Any:
    try:
        return graph.get_operation_by_name(name)
    except KeyError:
        return None
