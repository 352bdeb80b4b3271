"""Finds the layers of a graph, with the operations that belong to each.

              weights, or weights with a folded batch norm
                /
         conv or matmul
                |
      [batch to space]            of a dilated convolution
                |
      [post_conv_mul, correction_add]     of a batch norm that is folded for training
                |
             [bias]
                |
            [bypass]              an addition in a residual block
                |
          [activation]
                |
      [bypass after the activation]
"""
from typing import Any, List, NamedTuple, Optional, Set

from legacy_towers.compat.tf1.contrib.quantize.matching import ANY, Match, Pattern, matches, node, one_of

_ADD = "Add|AddV2"
_LAYERS = "Conv2D|MatMul|DepthwiseConv2dNative"


class Layer(NamedTuple):
    """A layer and the operations around it.

    Attributes:
      operation: the convolution or matmul.
      weights: the tensor of the weights; None if they are unknown or quantized elsewhere.
      activation: the operation whose output is quantized as that of the layer.
      bypass: the addition before the activation.
      bypass_after: the addition after the activation.
      bias: the operation whose output the bypass adds to.
    """

    operation: Any
    weights: Any
    activation: Any
    bypass: Any = None
    bypass_after: Any = None
    bias: Any = None


def _weights() -> Pattern:
    variable = node("Variable|VariableV2")
    partition = node("Identity", [variable])
    concatenated = node("ConcatV2", [partition, ANY, ANY])  # a variable with two partitions
    read = node("Identity", [one_of(partition, concatenated, variable)], name="weights")
    return one_of(read, node("ReadVariableOp", name="weights"), node("Mul", name="folded weights"))


_LAYER = node(_LAYERS, [ANY, _weights()], name="layer", any_order=True)
_OUTPUT = one_of(node("BatchToSpaceND", [_LAYER, ANY, ANY]), _LAYER)
_BIAS = node("Add|AddV2|BiasAdd", [_OUTPUT, ANY], name="bias", any_order=True)
_CORRECTED = node(_ADD, [node("Mul", [ANY, _OUTPUT], any_order=True), ANY], any_order=True)
_FOLDED_BIAS = node(_ADD, [_CORRECTED, ANY], name="bias", any_order=True)
# A batch norm with updates_collections=None ends with an Identity.
_FOLDED_IDENTITY = node("Identity", [_FOLDED_BIAS])
_BYPASS = node(_ADD, [one_of(_BIAS, _FOLDED_BIAS, _FOLDED_IDENTITY), ANY], name="bypass", any_order=True)
_ACTIVATION = node(
    "Relu|Relu6|Identity", [one_of(_BIAS, _FOLDED_BIAS, _FOLDED_IDENTITY, _BYPASS, _LAYER)], name="activation"
)
_BYPASS_AFTER = node(_ADD, [ANY, _ACTIVATION], name="bypass after", any_order=True)
_SEPARABLE = node(_LAYERS, [_OUTPUT, ANY], any_order=True)


def find(graph: Any) -> List[Layer]:
    """Returns the layers of `graph`; if several patterns match a layer, the longest match."""
    found: List[Layer] = []
    known: Set[str] = set()

    def add(layer: Layer) -> None:
        if layer.operation.name not in known:
            known.add(layer.operation.name)
            found.append(layer)

    for match in matches(_BYPASS_AFTER, graph):
        add(_layer(match, "activation", bypass_after=match["bypass after"].operation))
    for match in matches(_ACTIVATION, graph):
        if not _feeds_batch_norm(match["activation"].operation):
            add(_layer(match, "activation"))
    # The last layer usually has no activation: its bias is quantized instead.
    for match in matches(one_of(_BIAS, _FOLDED_BIAS), graph):
        add(Layer(match["layer"].operation, _weights_of(match), match["bias"].operation))
    # A separable convolution: the output of one layer is the input of the next.
    for match in matches(_SEPARABLE, graph):
        weights = match["weights"].tensor if "weights" in match else None
        add(Layer(match["layer"].operation, weights, match["layer"].operation))
    return found


def _layer(match: Match, activation: str, bypass_after: Any = None) -> Layer:
    return Layer(
        match["layer"].operation,
        _weights_of(match),
        match[activation].operation,
        _operation(match, "bypass"),
        bypass_after,
        _operation(match, "bias"),
    )


def _operation(match: Match, name: str) -> Optional[Any]:
    return match[name].operation if name in match else None


def _weights_of(match: Match) -> Any:
    return match.get("weights", match.get("folded weights")).tensor  # type: ignore[union-attr]


def _feeds_batch_norm(activation: Any) -> bool:
    """Returns whether `activation` is the input of a folded batch norm, which still computes the batch statistics."""
    if activation.type != "Identity":
        return False
    readers = activation.outputs[0].consumers()
    return len(readers) == 1 and readers[0].type in ("FusedBatchNorm", "FusedBatchNormV2", "FusedBatchNormV3")
