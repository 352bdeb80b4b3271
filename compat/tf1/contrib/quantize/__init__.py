"""tf.contrib.quantize: quantization-aware training; rewrites a graph to simulate 8-bit arithmetic.

First, batch norms are folded into the weights of their layers, as in a converted model. Then fake quantization
operations round weights and activations; the ranges are variables below the scope of the layer (conv/weights_quant/min,
conv/act_quant/max). Variable names are those of TensorFlow 1.15, so that its checkpoints restore.

    logits = model(images, is_training=True)
    loss = ...
    tf.contrib.quantize.create_training_graph(quant_delay=2000)     # before gradients are computed
    train_op = optimizer.minimize(loss)

Jacob et al., "Quantization and Training of Neural Networks for Efficient Integer-Arithmetic-Only Inference", 2017.
"""
from typing import Any, Optional

from legacy_towers.compat.tf1.contrib.quantize import fused, quantizing, unfused
from legacy_towers.compat.versions import tf

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
# The operation types of optimizers.
_TRAINING_TYPES = frozenset(
    prefix + "Apply" + name for prefix in ("", "Sparse", "Resource", "ResourceSparse") for name in _OPTIMIZERS.split()
) | {"ResourceApplyAdadelta", "ResourceSparseApplyAdadelta", "SparseApplyAdadelta"}


def create_training_graph(input_graph: Any = None, quant_delay: int = 0) -> None:
    """Rewrites a training graph in place to simulate quantization.

    Args:
      input_graph: a tf.Graph without gradients, by default the default graph.
      quant_delay: the number of steps before quantization starts; ranges are updated from the first step.

    Raises:
      ValueError: the graph contains training operations.
    """
    experimental_create_training_graph(input_graph, quant_delay=quant_delay)


def create_eval_graph(input_graph: Any = None) -> None:
    """Rewrites an evaluation graph in place to simulate quantization, with the trained ranges.

    Raises:
      ValueError: the graph contains training operations.
    """
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
    """Rewrites a training graph in place to simulate quantization, with more options.

    Args:
      input_graph: a tf.Graph without gradients, by default the default graph.
      weight_bits: the number of bits of weights, 2 to 16.
      activation_bits: the number of bits of activations, 2 to 16.
      symmetric: whether ranges are symmetric around 0.
      quant_delay: the number of steps before quantization starts.
      freeze_bn_delay: the number of steps after which batch norms use their moving averages and stop updating them;
        None: never.
      scope: quantizes only operations in this name scope. Batch norms are folded everywhere.

    Raises:
      ValueError: the graph contains training operations.
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
    """Rewrites an evaluation graph in place, with the options of `experimental_create_training_graph`."""
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
