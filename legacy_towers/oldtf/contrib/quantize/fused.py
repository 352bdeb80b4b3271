"""Folds fused batch norms into the weights of their layers."""
from typing import Any, Dict, List, NamedTuple, Optional

from legacy_towers.compat import graph_editing, tf
from legacy_towers.oldtf.contrib.quantize import corrections, rewiring
from legacy_towers.oldtf.contrib.quantize.matching import ANY, Match, matches, node, one_of

_GRADIENT = "LegacyTowersFoldedBatchNorm"


class Found(NamedTuple):
    """A fused batch norm behind a layer: operations, and tensors."""

    layer: Any
    norm: Any
    batch_to_space: Any
    output: Any
    inputs: Any
    weights: Any
    beta: Any


class Update(NamedTuple):
    """Tensors by which a moving average is updated."""

    average: Any
    decay: Any


_LAYER = node("Conv2D|DepthwiseConv2dNative|MatMul", [node("*", name="inputs"), node("*", name="weights")], "layer")
_DILATED = node("BatchToSpaceND", [_LAYER, ANY, ANY], "batch to space")
_OUTPUT = one_of(node("Identity", [one_of(_DILATED, _LAYER)]), _LAYER, _DILATED)
# The outputs of a matmul are made images of one pixel, and matrices again.
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
    """Folds those of `graph`; in training, their moving averages stand still after `freeze_delay` steps."""
    updates = _updates(graph)
    for match in _batch_norms(graph):
        _fold(graph, match, updates, freeze_delay)


def _batch_norms(graph: Any) -> List[Match]:
    found: Dict[str, Match] = {}
    for match in matches(_END, graph):
        # Behind a matmul is a reshape, which is another match.
        is_whole = match["layer"].operation.type != "MatMul" or "reshaped" in match
        if is_whole and _output(match).consumers():
            found.setdefault(match["layer"].operation.name, match)
    return list(found.values())


def _output(match: Match) -> Any:
    end = "reshaped" if match["layer"].operation.type == "MatMul" else "norm"
    return match[end].operation.outputs[0]


def _fold(graph: Any, match: Match, updates: Dict[str, Update], freeze_delay: Optional[int]) -> None:
    found = Found(
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
        norm = _of_batch(graph, found.norm, match, updates)
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
        _fold_in(graph, context, found, norm, is_training, freeze_delay)


def _fold_in(
    graph: Any, context: str, found: Found, norm: corrections.BatchNorm, is_training: bool, freeze_delay: Optional[int]
) -> None:
    separator = "/" if context else ""
    correction = None
    weights = found.weights
    with graph.name_scope(context + "BatchNorm_Fold" + separator), tf.device(found.layer.device):
        scale = norm.gamma * tf.rsqrt(norm.variance + norm.epsilon)
        bias = tf.subtract(found.beta, norm.mean * scale, name="bias")
        if is_training:
            correction = corrections.correct(norm, found.layer.name, "", freeze_delay)
        of_weights = correction.scale if correction is not None else None
        if found.layer.type == "DepthwiseConv2dNative":
            shape = weights.shape.as_list()[2:]
            scale = tf.reshape(scale, shape, name="scale_reshape")
            if of_weights is not None:
                of_weights = tf.reshape(of_weights, shape, name="correction_reshape")
    with tf.device(found.layer.device):
        if of_weights is not None:
            weights = tf.multiply(of_weights, weights, name="correction_mult")
        weights = tf.multiply(weights, scale, name="mul_fold")
        last = found.layer.name.rpartition("/")[2]
        output = corrections.layer_like(found.layer, found.inputs, weights, last + "_Fold")
        if found.batch_to_space is not None:
            last = found.batch_to_space.name.rpartition("/")[2]
            output = corrections.behind_batch_to_space(output, found.batch_to_space, last + "_Fold")
        if correction is not None:
            output = tf.multiply(correction.reciprocal, output, name="post_conv_mul")
            output = tf.add(output, correction.offset, name="correction_add")
        output = tf.add(output, bias, name="add_fold")
    rewiring.reroute(output, found.output)


def _of_batch(
    graph: Any, operation: Any, match: Match, updates: Dict[str, Update]
) -> corrections.BatchNorm:
    """Returns the tensors of a batch norm that is trained: its second and third outputs are those of the batch."""
    graph_editing.set_gradient(operation, _GRADIENT)
    mean, variance = operation.outputs[1:3]
    with graph.name_scope("".join(operation.name.rpartition("/")[:2])):
        count = _count(match["layer"].tensor, mean)
        # The moving average gets N / (N - 1) of it, and so does the output.
        variance = tf.multiply(variance, (count - 1) / count, name="Undo_Bessel_Correction")
    none = Update(None, None)
    of_mean, of_variance = [updates.get(each.name, none) for each in operation.outputs[1:3]]
    epsilon = operation.get_attr("epsilon")
    return corrections.BatchNorm(
        match["gamma"].tensor, mean, variance, epsilon,
        of_mean.average, of_variance.average, of_mean.decay, of_variance.decay,
    )  # fmt: skip


def _updates(graph: Any) -> Dict[str, Update]:
    """Returns name of a batch's mean or variance -> the moving average's update: (average - batch's) * decay."""
    found = {}
    for match in matches(_UPDATE, graph):
        average, of_batch = match["difference"].operation.inputs
        found[of_batch.name] = Update(average, match["decay"].tensor)
    return found


def _count(whole: Any, per_channel: Any) -> Any:
    """Returns how many values are in each channel, as float32."""
    return tf.cast(tf.size(whole) / tf.size(per_channel), tf.float32)


@tf.RegisterGradient(_GRADIENT)
def _gradient(operation: Any, *gradients: Any) -> List[Any]:
    """Returns the gradient by way of the batch's mean and variance.

    TensorFlow's own knows only that of the first output, which nobody reads any more.
    """
    inputs, mean = operation.inputs[0], operation.outputs[1]
    of_mean, of_variance = gradients[1:3]
    count = _count(inputs, of_mean)
    return [of_mean / count + 2 * of_variance * (inputs - mean) / (count - 1)] + [None] * 4
