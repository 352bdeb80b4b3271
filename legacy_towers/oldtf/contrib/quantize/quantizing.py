"""Puts fake quantization behind weights, activations and sums."""
from typing import Any, Dict, List, NamedTuple, Optional, Sequence, Set

from legacy_towers.compat import tf
from legacy_towers.oldtf.contrib.quantize import layers, old_names, ranges, rewiring

_FAKE = ("FakeQuantWithMinMaxVars", "FakeQuantWithMinMaxArgs", "FakeQuantWithMinMaxVarsPerChannel")
_RELUS = ("Relu", "Relu6")
_ACTIVATIONS = _RELUS + ("Identity",)
_SUMS = ("Add", "AddV2", "Mul")
# They change no number, so what reads them reads what they read.
_PASSING = ("Reshape", "Identity", "BatchToSpaceND", "SpaceToBatchND", "MaxPool", "Max")


class Options(NamedTuple):
    """How to round.

    Attributes:
      is_training: whether ranges follow what comes.
      weight_bits: of a weight.
      activation_bits: of an activation.
      symmetric: whether ranges are as wide below 0 as above it.
      delay: so many first steps round nothing; None: all do.
      scope: what is to be rounded has names that begin so; None: everything.
    """

    is_training: bool
    weight_bits: int
    activation_bits: int
    symmetric: bool
    delay: Optional[int]
    scope: Optional[str]


def quantize(graph: Any, options: Options) -> None:
    """Rewrites `graph`, in which batch norms are folded already."""
    readers = rewiring.Readers(graph)
    done: Set[str] = set()
    for layer in layers.find(graph):
        _quantize_layer(layer, readers, options, done)
    readers = rewiring.Readers(graph)
    operations = list(graph.get_operations())
    # Before any of them is rounded: afterwards they don't stand as they were made.
    names = {operation.name: old_names.name_of(operation) for operation in operations}
    types = {operation.name: old_names.type_of(operation) for operation in operations}
    for operation in operations:
        if _is_sum_to_round(operation, done, types):
            name = "activation_{}_quant".format(types[operation.name])
            # Never symmetric, as on TensorFlow 1.15.
            plain = options._replace(symmetric=False)
            _insert(names[operation.name], name, operation, readers.of(operation), plain, "in")


def _quantize_layer(layer: layers.Layer, readers: rewiring.Readers, options: Options, done: Set[str]) -> None:
    context = _above(layer.operation.name)
    if layer.weights is not None:
        weights = layer.weights.op
        _insert(context, "weights_quant", weights, readers.of(weights), options, "out", is_weight=True)
    outer = _above(context) if layer.bypass is not None else context
    _insert(outer, "act_quant", layer.activation, readers.of(layer.activation), options, "in", lowest=0.0)
    done.add(layer.activation.name)
    if layer.bypass is not None:
        _insert(context, "conv_quant", layer.bias, readers.of(layer.bias), options, "both")
        done.add(layer.bias.name)
        # An activation behind a sum is one with it in the converted model.
        if not any(reader.type in _ACTIVATIONS for reader in readers.of(layer.bypass)):
            _insert(outer, "add_quant", layer.bypass, readers.of(layer.bypass), options, "both")
            done.add(layer.bypass.name)
    after = layer.bypass_after
    if after is not None and not any(reader.type in _RELUS for reader in readers.of(after)):
        _insert(_above(after.name), "post_activation_bypass_quant", after, readers.of(after), options, "in")
        done.add(after.name)


def _insert(
    context: str,
    name: str,
    producer: Any,
    readers: Sequence[Any],
    options: Options,
    side: str,
    is_weight: bool = False,
    lowest: float = -6.0,
) -> None:
    """Lets `readers` of `producer` read its first output rounded.

    Args:
      context: the name scope in which it goes.
      name: what it is called there.
      side: whether `producer` ("in"), all of `readers` ("out") or "both" must be in the scope of the options.
    """
    if options.scope:
        concerned = {"in": [producer], "out": list(readers), "both": [producer] + list(readers)}[side]
        if not all(operation.name.startswith(options.scope) for operation in concerned):
            return
    prefix = context + "/" + name if context else name
    scope = tf.get_default_graph().get_name_scope()
    if scope and prefix.startswith(scope + "/"):
        prefix = prefix[len(scope) + 1 :]
    inputs = producer.outputs[0]
    if _is_rounded(inputs):  # a sum can belong to two layers, and weights to several towers
        return
    bits = options.weight_bits if is_weight else options.activation_bits
    output = ranges.rounded(inputs, prefix, options.is_training, bits, options.symmetric, is_weight, lowest)
    if options.delay and options.delay > 0:
        begun = tf.greater_equal(rewiring.step(), options.delay, name=prefix + "/activate_quant")
        rounded = output
        output = tf.cond(begun, lambda: rounded, lambda: inputs, name=prefix + "/delayed_quant")
    if readers and rewiring.reroute(output, inputs, readers) < len(readers):
        raise ValueError("No inputs quantized for ops: [{}]".format(", ".join(reader.name for reader in readers)))


def _is_rounded(tensor: Any) -> bool:
    waiting = list(tensor.consumers())
    while waiting:
        reader = waiting.pop()
        if reader.type in _FAKE:
            return True
        if reader.type in ("Reshape", "Identity"):
            waiting.extend(reader.outputs[0].consumers())
    return False


def _is_sum_to_round(operation: Any, done: Set[str], types: Dict[str, str]) -> bool:
    """Returns whether `operation` adds or multiplies what is rounded, by way of others of its kind too."""
    if operation.name in done or types.get(operation.name) not in _SUMS:
        return False
    readers: List[Any] = operation.outputs[0].consumers()
    if len(readers) == 1 and readers[0].type in _RELUS:
        return False
    for tensor in operation.inputs:
        source = tensor.op
        while source.type in _PASSING:
            source = source.inputs[0].op
        if source.type == _FAKE[0] or source.name.find("delayed_quant/Merge") > 0:
            return True
        if types.get(source.name) in _SUMS:
            if any(_is_sum_to_round(below.op, done, types) for below in source.inputs):
                return True
    return False


def _above(name: str) -> str:
    """Returns the scope that `name` is in, "" at the top."""
    return name.rpartition("/")[0]
