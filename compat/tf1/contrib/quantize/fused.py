"""Folds fused batch norms into the weights of their layers."""
from typing import Any, Dict, List, NamedTuple, Optional

from legacy_towers.compat.tf1.contrib.private import graph_editing
from legacy_towers.compat.tf1.contrib.quantize import corrections, rewiring
from legacy_towers.compat.tf1.contrib.quantize.matching import ANY, Match, matches, node, one_of
from legacy_towers.compat.versions import tf

_GRADIENT = "LegacyTowersFoldedBatchNorm"


class LayerWithNorm(NamedTuple):
    """A fused batch norm and the layer before it: operations and tensors."""

    layer: Any
    norm: Any
    batch_to_space: Any
    output: Any
    inputs: Any
    weights: Any
    beta: Any


class Update(NamedTuple):
    """The tensors of a moving average and of its 1 - decay."""

    average: Any
    decay: Any


_LAYER = node("Conv2D|DepthwiseConv2dNative|MatMul", [node("*", name="inputs"), node("*", name="weights")], "layer")
_DILATED = node("BatchToSpaceND", [_LAYER, ANY, ANY], "batch to space")
_OUTPUT = one_of(node("Identity", [one_of(_DILATED, _LAYER)]), _LAYER, _DILATED)
# The outputs of a matmul are reshaped to images of one pixel for the batch norm, then back.
_NORMS = "FusedBatchNorm|FusedBatchNormV2|FusedBatchNormV3"
_NORM = node(
    _NORMS,
    [
        one_of(node("Reshape", [_OUTPUT, ANY]), _OUTPUT),
        node("*", name="gamma"),
        node("*", name="beta"),
        node("*", name="mean"),
        node("*", name="variance"),
    ],
    "norm",
)
_UPDATE = node("Mul", [node("Sub", [ANY, node(_NORMS)], "difference"), node("*", name="decay")])
_END = one_of(node("Reshape", [_NORM, ANY], "reshaped"), _NORM)


def fold(graph: Any, freeze_delay: Optional[int]) -> None:
    """Folds the fused batch norms of `graph`; in training, freezes moving averages after `freeze_delay` steps."""
    updates = _updates(graph)
    for match in _batch_norms(graph):
        _fold(graph, match, updates, freeze_delay)


def _batch_norms(graph: Any) -> List[Match]:
    found: Dict[str, Match] = {}
    for match in matches(_END, graph):
        # With a matmul, the match without the final reshape is incomplete.
        is_complete = match["layer"].operation.type != "MatMul" or "reshaped" in match
        if is_complete and _output(match).consumers():
            found.setdefault(match["layer"].operation.name, match)
    return list(found.values())


def _output(match: Match) -> Any:
    end = "reshaped" if match["layer"].operation.type == "MatMul" else "norm"
    return match[end].operation.outputs[0]


def _fold(graph: Any, match: Match, updates: Dict[str, Update], freeze_delay: Optional[int]) -> None:
    found = LayerWithNorm(
        match["layer"].operation,
        match["norm"].operation,
        match["batch to space"].operation if "batch to space" in match else None,
        _output(match),
        match["inputs"].tensor,
        match["weights"].tensor,
        match["beta"].tensor,
    )
    is_training = found.norm.get_attr("is_training")
    if is_training:
        norm = _batch_statistics(graph, found.norm, match, updates)
    else:
        norm = corrections.BatchNorm(
            match["gamma"].tensor,
            match["mean"].tensor,
            match["variance"].tensor,
            found.norm.get_attr("epsilon"),
            *[None] * 4,
        )
    context = "".join(found.layer.name.rpartition("/")[:2])
    with graph.name_scope(context):
        _build_folded(graph, context, found, norm, is_training, freeze_delay)


def _build_folded(
    graph: Any,
    context: str,
    found: LayerWithNorm,
    norm: corrections.BatchNorm,
    is_training: bool,
    freeze_delay: Optional[int],
) -> None:
    separator = "/" if context else ""
    correction = None
    weights = found.weights
    with graph.name_scope(context + "BatchNorm_Fold" + separator), tf.device(found.layer.device):
        scale = norm.gamma * tf.rsqrt(norm.variance + norm.epsilon)
        bias = tf.subtract(found.beta, norm.mean * scale, name="bias")
        if is_training:
            correction = corrections.correct(norm, found.layer.name, "", freeze_delay)
        weight_scale = correction.scale if correction is not None else None
        if found.layer.type == "DepthwiseConv2dNative":
            shape = weights.shape.as_list()[2:]
            scale = tf.reshape(scale, shape, name="scale_reshape")
            if weight_scale is not None:
                weight_scale = tf.reshape(weight_scale, shape, name="correction_reshape")
    with tf.device(found.layer.device):
        if weight_scale is not None:
            weights = tf.multiply(weight_scale, weights, name="correction_mult")
        weights = tf.multiply(weights, scale, name="mul_fold")
        last = found.layer.name.rpartition("/")[2]
        output = corrections.copy_layer(found.layer, found.inputs, weights, last + "_Fold")
        if found.batch_to_space is not None:
            last = found.batch_to_space.name.rpartition("/")[2]
            output = corrections.apply_batch_to_space(output, found.batch_to_space, last + "_Fold")
        if correction is not None:
            output = tf.multiply(correction.reciprocal, output, name="post_conv_mul")
            output = tf.add(output, correction.offset, name="correction_add")
        output = tf.add(output, bias, name="add_fold")
    rewiring.reroute(output, found.output)


def _batch_statistics(
    graph: Any, operation: Any, match: Match, updates: Dict[str, Update]
) -> corrections.BatchNorm:
    """Returns the tensors of a batch norm in training mode; outputs 1 and 2 are the statistics of the batch."""
    graph_editing.set_gradient_type(operation, _GRADIENT)
    mean, variance = operation.outputs[1:3]
    with graph.name_scope("".join(operation.name.rpartition("/")[:2])):
        count = _count(match["layer"].tensor, mean)
        # The output of the fused operation includes Bessel's correction N / (N - 1).
        variance = tf.multiply(variance, (count - 1) / count, name="Undo_Bessel_Correction")
    none = Update(None, None)
    of_mean, of_variance = [updates.get(each.name, none) for each in operation.outputs[1:3]]
    epsilon = operation.get_attr("epsilon")
    return corrections.BatchNorm(
        match["gamma"].tensor, mean, variance, epsilon,
        of_mean.average, of_variance.average, of_mean.decay, of_variance.decay,
    )  # fmt: skip


def _updates(graph: Any) -> Dict[str, Update]:
    """Returns name of the mean or variance of a batch -> the Update: (average - batch statistic) * (1 - decay)."""
    found = {}
    for match in matches(_UPDATE, graph):
        average, statistic = match["difference"].operation.inputs
        found[statistic.name] = Update(average, match["decay"].tensor)
    return found


def _count(whole: Any, per_channel: Any) -> Any:
    """Returns the number of values per channel, a float32 scalar."""
    return tf.cast(tf.size(whole) / tf.size(per_channel), tf.float32)


@tf.RegisterGradient(_GRADIENT)
def _gradient(operation: Any, *gradients: Any) -> List[Any]:
    """Returns the gradient through the mean and variance of the batch.

    TensorFlow's gradient of this operation covers the first output only, which folding no longer uses.
    """
    inputs, mean = operation.inputs[0], operation.outputs[1]
    of_mean, of_variance = gradients[1:3]
    count = _count(inputs, of_mean)
    return [of_mean / count + 2 * of_variance * (inputs - mean) / (count - 1)] + [None] * 4
