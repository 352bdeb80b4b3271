"""tf.contrib.quantize: simulates, in a graph that is there, what a model of 8-bit numbers would compute.

Weights and activations are rounded by operations called fake quantization, whose ranges are variables beside the layer
(conv/weights_quant/min, conv/act_quant/max). Before that, batch norms become part of the weights of their layer, as in
a model that is converted. The names are those of TensorFlow 1.15, so that its checkpoints fit.

    logits = model(images, is_training=True)
    loss = ...
    tf.contrib.quantize.create_training_graph(quant_delay=2000)     before the gradients are made
    train_op = optimizer.minimize(loss)
"""
from typing import Any, Optional

from legacy_towers.compat import tf
from legacy_towers.oldtf.contrib.quantize import fused, quantizing, unfused

__all__ = [
    "create_eval_graph",
    "create_training_graph",
    "experimental_create_eval_graph",
    "experimental_create_training_graph",
]

_OPTIMIZERS = (
    "Adagrad AdagradDA Adam AddSign CenteredRMSProp Ftrl FtrlV2 GradientDescent KerasMomentum Momentum PowerSign "
    "ProximalAdagrad ProximalGradientDescent RMSProp"
)
# The operations by which optimizers write to variables.
_TRAINING_TYPES = frozenset(
    prefix + "Apply" + name for prefix in ("", "Sparse", "Resource", "ResourceSparse") for name in _OPTIMIZERS.split()
) | {"ResourceApplyAdadelta", "ResourceSparseApplyAdadelta", "SparseApplyAdadelta"}


def create_training_graph(input_graph: Any = None, quant_delay: int = 0) -> None:
    """Rewrites `input_graph`, made for training, in place.

    Args:
      input_graph: a tf.Graph, by default the current one. Its gradients must not be there yet.
      quant_delay: in so many first steps nothing is rounded; ranges are learned all the same.

    Raises:
      ValueError: the graph has an optimizer's operations already.
    """
    experimental_create_training_graph(input_graph, quant_delay=quant_delay)


def create_eval_graph(input_graph: Any = None) -> None:
    """Rewrites `input_graph`, made for evaluation, in place: ranges are used as they were trained."""
    experimental_create_eval_graph(input_graph)


def experimental_create_training_graph(
    input_graph: Any = None,
    weight_bits: int = 8,
    activation_bits: int = 8,
    symmetric: bool = False,
    quant_delay: Optional[int] = 0,
    freeze_bn_delay: Optional[int] = None,
    scope: Optional[str] = None,
) -> None:
    """Does what `create_training_graph` does, with more to choose.

    Args:
      input_graph: see there.
      weight_bits: of a weight, 2 to 16.
      activation_bits: of an activation.
      symmetric: ranges are as wide below 0 as above it.
      quant_delay: see there.
      freeze_bn_delay: after so many steps batch norms take their moving averages, which change no more.
      scope: only what is in this name scope is rounded. Batch norms are folded everywhere.

    Raises:
      ValueError: see there.
    """
    options = quantizing.Options(True, weight_bits, activation_bits, symmetric, quant_delay, _as_prefix(scope))
    _rewrite(input_graph, options, freeze_bn_delay)


def experimental_create_eval_graph(
    input_graph: Any = None,
    weight_bits: int = 8,
    activation_bits: int = 8,
    symmetric: bool = False,
    quant_delay: Optional[int] = None,
    scope: Optional[str] = None,
) -> None:
    """Does what `create_eval_graph` does, with the choices of `experimental_create_training_graph`."""
    options = quantizing.Options(False, weight_bits, activation_bits, symmetric, quant_delay, _as_prefix(scope))
    _rewrite(input_graph, options, None)


def _rewrite(graph: Any, options: quantizing.Options, freeze_bn_delay: Optional[int]) -> None:
    graph = tf.get_default_graph() if graph is None else graph
    found = _TRAINING_TYPES.intersection(operation.type for operation in graph.get_operations())
    if found:
        raise ValueError("Training op found in graph, exiting {}".format(set(found)))
    with graph.as_default():
        fused.fold(graph, freeze_bn_delay)
        unfused.fold(graph, options.is_training, freeze_bn_delay)
        quantizing.quantize(graph, options)


def _as_prefix(scope: Optional[str]) -> Optional[str]:
    return scope if not scope or scope.endswith("/") else scope + "/"
