"""Copies of a Keras 2 model, compiled on given tensors: what tf.keras.estimator made of a model.

Private: tried with the Keras of TensorFlow 2.13 and with tf_keras 2.21; ends with tf_keras. It is how Keras fits a
model where sessions run.
"""
import importlib
from typing import Any, Dict, Optional

from legacy_towers.compat import tf


def clone(
    model: Any,
    inputs: Any = None,
    targets: Any = None,
    custom_objects: Optional[Dict[str, Any]] = None,
    optimizer_config: Any = None,
    global_step: Any = None,
) -> Any:
    """Returns a copy of `model` in the current graph; with a `global_step`, compiled: its optimizer counts there.

    Args:
      model: one that is compiled. A subclassed model can't be copied: it is reset in place, see `restore`.
      inputs: the tensors that it is built on; None: placeholders.
      targets: the tensors that losses and metrics compare with; None: placeholders.
      custom_objects: classes and functions that the model is made of, by name.
      optimizer_config: what the optimizer's `get_config` returned, None if it has none.
    """
    keras = _cloning()
    if global_step is not None:
        keras.backend.track_variable(global_step)
    return keras.clone_and_build_model(
        model,
        inputs,
        targets,
        custom_objects,
        compile_clone=global_step is not None,
        in_place_reset=not model._is_graph_network,
        optimizer_iterations=global_step,
        optimizer_config=optimizer_config,
    )


def restore(model: Any) -> None:
    """Makes a subclassed model that `clone` reset what it was before."""
    if not model._is_graph_network and getattr(model, "_original_attributes_cache", None) is not None:
        _cloning().in_place_subclassed_model_state_restoration(model)


def is_copied(model: Any) -> bool:
    """Returns whether `clone` makes a copy of `model`, and not of one whose `call` is Python code."""
    return bool(model._is_graph_network)


def has_weights(model: Any) -> bool:
    """Returns whether any weight of `model` has a value already."""
    return any(hasattr(weight, "_keras_initialized") for layer in model.layers for weight in layer.weights)


def weigh(model: Any, sample_weights: Any) -> None:
    """Makes `sample_weights` part of the loss of a compiled copy."""
    weights = sample_weights if isinstance(sample_weights, (list, tuple)) else [sample_weights]
    model._compile_weights_loss_and_weighted_metrics(list(weights))


def train_op(model: Any) -> Any:
    """Returns the operation of one training step of a compiled copy."""
    model._make_train_function()
    return model.train_function.updates_op


def total_loss(model: Any) -> Any:
    """Returns the loss of a compiled copy, that of its regularizers included."""
    model._make_test_function()
    return model.total_loss


def metrics(model: Any) -> Optional[Dict[str, Any]]:
    """Returns name -> the metric, updated, of those that the model was compiled with; None without any."""
    if not getattr(model, "_compile_metrics", None):
        return None
    return {metric.name: metric for metric in model._compile_metric_functions}


def _cloning() -> Any:
    # keras.src.models.cloning, or tf_keras.src.models.cloning
    return importlib.import_module(tf.keras.models.clone_model.__module__)
