"""Inserts fake quantization after weights, activations and additions."""
from typing import Any, Dict, List, NamedTuple, Optional, Sequence, Set

from legacy_towers.compat.tf1.contrib.quantize import layers, old_names, ranges, rewiring
from legacy_towers.compat.versions import tf

_FAKE = ("FakeQuantWithMinMaxVars", "FakeQuantWithMinMaxArgs", "FakeQuantWithMinMaxVarsPerChannel")
_RELUS = ("Relu", "Relu6")
_ACTIVATIONS = _RELUS + ("Identity",)
_SUMS = ("Add", "AddV2", "Mul")
# Operations that only select or rearrange values: their outputs count as quantized if their inputs are.
_TRANSPARENT = ("Reshape", "Identity", "BatchToSpaceND", "SpaceToBatchND", "MaxPool", "Max")


class Options(NamedTuple):
    """How to quantize.

    Attributes:
      is_training: whether ranges are updated.
      weight_bits: the number of bits of weights.
      activation_bits: the number of bits of activations.
      symmetric: whether ranges are symmetric around 0.
      delay: the number of steps before quantization starts; None: 0.
      scope: the name prefix of operations to quantize; None: all.
    """

    is_training: bool
    weight_bits: int
    activation_bits: int
    symmetric: bool
    delay: Optional[int]
    scope: Optional[str]


def quantize(graph: Any, options: Options) -> None:
    """Inserts fake quantization into `graph`, whose batch norms have been folded."""
    readers = rewiring.Readers(graph)
    quantized: Set[str] = set()
    for layer in layers.find(graph):
        _quantize_layer(layer, readers, options, quantized)
    readers = rewiring.Readers(graph)
    operations = list(graph.get_operations())
    # Computed before the insertions below, which change the readers of operations.
    names = {operation.name: old_names.name_of(operation) for operation in operations}
    types = {operation.name: old_names.type_of(operation) for operation in operations}
    for operation in operations:
        if _is_sum_to_quantize(operation, quantized, types):
            name = "activation_{}_quant".format(types[operation.name])
            # Never symmetric, as in TensorFlow 1.15.
            plain = options._replace(symmetric=False)
            _insert(names[operation.name], name, operation, readers.of(operation), plain, "in")


def _quantize_layer(layer: layers.Layer, readers: rewiring.Readers, options: Options, quantized: Set[str]) -> None:
    context = _parent_scope(layer.operation.name)
    if layer.weights is not None:
        weights = layer.weights.op
        _insert(context, "weights_quant", weights, readers.of(weights), options, "out", is_weight=True)
    outer = _parent_scope(context) if layer.bypass is not None else context
    _insert(outer, "act_quant", layer.activation, readers.of(layer.activation), options, "in", lowest=0.0)
    quantized.add(layer.activation.name)
    if layer.bypass is not None:
        _insert(context, "conv_quant", layer.bias, readers.of(layer.bias), options, "both")
        quantized.add(layer.bias.name)
        # The converted model fuses an addition with the activation after it.
        if not any(reader.type in _ACTIVATIONS for reader in readers.of(layer.bypass)):
            _insert(outer, "add_quant", layer.bypass, readers.of(layer.bypass), options, "both")
            quantized.add(layer.bypass.name)
    after = layer.bypass_after
    if after is not None and not any(reader.type in _RELUS for reader in readers.of(after)):
        _insert(_parent_scope(after.name), "post_activation_bypass_quant", after, readers.of(after), options, "in")
        quantized.add(after.name)


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
    """Inserts fake quantization between the first output of `producer` and `readers`.

    Args:
      context: the name scope of the inserted operations.
      name: the last part of that scope.
      producer: the operation whose output is quantized.
      readers: the operations that get the quantized value.
      options: how to quantize.
      side: whether `producer` ("in"), all of `readers` ("out") or both ("both") must be in the scope of the options.
      is_weight: whether `producer` is a weight.
      lowest: the initial minimum of the range.
    """
    if options.scope:
        operations = {"in": [producer], "out": list(readers), "both": [producer] + list(readers)}[side]
        if not all(operation.name.startswith(options.scope) for operation in operations):
            return
    prefix = context + "/" + name if context else name
    scope = tf.get_default_graph().get_name_scope()
    if scope and prefix.startswith(scope + "/"):
        prefix = prefix[len(scope) + 1 :]
    inputs = producer.outputs[0]
    if _is_quantized(inputs):  # an addition can belong to two layers, weights to several towers
        return
    bits = options.weight_bits if is_weight else options.activation_bits
    output = ranges.fake_quantize(inputs, prefix, options.is_training, bits, options.symmetric, is_weight, lowest)
    if options.delay and options.delay > 0:
        is_active = tf.greater_equal(rewiring.step(), options.delay, name=prefix + "/activate_quant")
        fake = output
        output = tf.cond(is_active, lambda: fake, lambda: inputs, name=prefix + "/delayed_quant")
    if readers and rewiring.reroute(output, inputs, readers) < len(readers):
        raise ValueError("No inputs quantized for ops: [{}]".format(", ".join(reader.name for reader in readers)))


def _is_quantized(tensor: Any) -> bool:
    pending = list(tensor.consumers())
    while pending:
        reader = pending.pop()
        if reader.type in _FAKE:
            return True
        if reader.type in ("Reshape", "Identity"):
            pending.extend(reader.outputs[0].consumers())
    return False


def _is_sum_to_quantize(operation: Any, quantized: Set[str], types: Dict[str, str]) -> bool:
    """Returns whether `operation` adds or multiplies quantized values, directly or through other such operations."""
    if operation.name in quantized or types.get(operation.name) not in _SUMS:
        return False
    readers: List[Any] = operation.outputs[0].consumers()
    if len(readers) == 1 and readers[0].type in _RELUS:
        return False
    for tensor in operation.inputs:
        source = tensor.op
        while source.type in _TRANSPARENT:
            source = source.inputs[0].op
        if source.type == _FAKE[0] or source.name.find("delayed_quant/Merge") > 0:
            return True
        if types.get(source.name) in _SUMS:
            if any(_is_sum_to_quantize(below.op, quantized, types) for below in source.inputs):
                return True
    return False


def _parent_scope(name: str) -> str:
    """Returns the name scope of `name`, "" for the root."""
    return name.rpartition("/")[0]
