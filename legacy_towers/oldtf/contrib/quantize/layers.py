"""Where the layers of a graph are, and what belongs to each.

              weights, or weights with a batch norm folded in
                /
         conv or matmul
                |
      [batch to space]            of a dilated convolution
                |
      [post_conv_mul, correction_add]     of a batch norm folded for training
                |
             [bias]
                |
            [bypass]              an addition: a block of a residual network
                |
          [activation]
                |
      [bypass after the activation]
"""
from typing import Any, List, NamedTuple, Optional, Set

from legacy_towers.oldtf.contrib.quantize.matching import ANY, Match, Pattern, matches, node, one_of

_ADD = "Add|AddV2"
_LAYERS = "Conv2D|MatMul|DepthwiseConv2dNative"


class Layer(NamedTuple):
    """A layer, and what stands around it.

    Attributes:
      operation: the convolution or product.
      weights: the tensor of its weights; None: they are rounded elsewhere, or not known.
      activation: the operation whose output is rounded as the layer's.
      bypass: the addition before the activation.
      bypass_after: the addition after it.
      bias: the operation that the bypass adds to.
    """

    operation: Any
    weights: Any
    activation: Any
    bypass: Any = None
    bypass_after: Any = None
    bias: Any = None


def _weights() -> Pattern:
    variable = node("Variable|VariableV2")
    part = node("Identity", [variable])
    parts = node("ConcatV2", [part, ANY, ANY])  # of a variable in two pieces
    read = node("Identity", [one_of(part, parts, variable)], name="weights")
    return one_of(read, node("ReadVariableOp", name="weights"), node("Mul", name="folded weights"))


_LAYER = node(_LAYERS, [ANY, _weights()], name="layer", any_order=True)
_OUTPUT = one_of(node("BatchToSpaceND", [_LAYER, ANY, ANY]), _LAYER)
_BIAS = node("Add|AddV2|BiasAdd", [_OUTPUT, ANY], name="bias", any_order=True)
_CORRECTED = node(_ADD, [node("Mul", [ANY, _OUTPUT], any_order=True), ANY], any_order=True)
_FOLDED_BIAS = node(_ADD, [_CORRECTED, ANY], name="bias", any_order=True)
# A batch norm that updates its averages itself ends in one.
_FOLDED_IDENTITY = node("Identity", [_FOLDED_BIAS])
_BYPASS = node(_ADD, [one_of(_BIAS, _FOLDED_BIAS, _FOLDED_IDENTITY), ANY], name="bypass", any_order=True)
_ACTIVATION = node(
    "Relu|Relu6|Identity", [one_of(_BIAS, _FOLDED_BIAS, _FOLDED_IDENTITY, _BYPASS, _LAYER)], name="activation"
)
_BYPASS_AFTER = node(_ADD, [ANY, _ACTIVATION], name="bypass after", any_order=True)
_SEPARABLE = node(_LAYERS, [_OUTPUT, ANY], any_order=True)


def find(graph: Any) -> List[Layer]:
    """Returns the layers of `graph`. A layer that several patterns fit belongs to the longest."""
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
    # The last layer has no activation, mostly: its bias stands in for it.
    for match in matches(one_of(_BIAS, _FOLDED_BIAS), graph):
        add(Layer(match["layer"].operation, _weights_of(match), match["bias"].operation))
    # A convolution whose output is the next one's input.
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
    """Returns whether `activation` is what is left of a folded batch norm: its batch's mean and variance."""
    if activation.type != "Identity":
        return False
    readers = activation.outputs[0].consumers()
    return len(readers) == 1 and readers[0].type in ("FusedBatchNorm", "FusedBatchNormV2", "FusedBatchNormV3")
