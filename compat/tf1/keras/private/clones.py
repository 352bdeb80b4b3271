"""Copies of a Keras 2 model that are compiled on given tensors, as tf.keras.estimator makes them.

Private: tried with the Keras of TensorFlow 2.13 and with tf_keras 2.21; ends with tf_keras. Keras itself uses these
functions to fit models in graph mode.
"""
import importlib
from typing import Any, Dict, Optional

from legacy_towers.compat.versions import tf


def clone(
    model: Any,
    inputs: Any = None,
    targets: Any = None,
    custom_objects: Optional[Dict[str, Any]] = None,
    optimizer_config: Any = None,
    global_step: Any = None,
) -> Any:
    """Returns a copy of `model` in the current graph; it is compiled if there is a `global_step`.

    Args:
      model: a compiled model. A subclassed model can't be copied: it is reset in place, see `restore`.
      inputs: the input tensors of the copy; None for placeholders.
      targets: the tensors that losses and metrics compare with; None for placeholders.
      custom_objects: name -> custom class or function of the model.
      optimizer_config: the result of the optimizer's `get_config`, None if it has none.
      global_step: the variable that the optimizer increments.
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
    """Restores a subclassed model that `clone` reset."""
    if not model._is_graph_network and getattr(model, "_original_attributes_cache", None) is not None:
        _cloning().in_place_subclassed_model_state_restoration(model)


def is_copied(model: Any) -> bool:
    """Returns whether `clone` copies `model`: it is functional or Sequential, and not subclassed."""
    return bool(model._is_graph_network)


def has_weights(model: Any) -> bool:
    """Returns whether any weight of `model` is initialized."""
    return any(hasattr(weight, "_keras_initialized") for layer in model.layers for weight in layer.weights)


def weigh(model: Any, sample_weights: Any) -> None:
    """Sets `sample_weights` of the loss of a compiled copy."""
    weights = sample_weights if isinstance(sample_weights, (list, tuple)) else [sample_weights]
    model._compile_weights_loss_and_weighted_metrics(list(weights))


def train_op(model: Any) -> Any:
    """Returns the operation of one training step of a compiled copy."""
    model._make_train_function()
    return model.train_function.updates_op


def total_loss(model: Any) -> Any:
    """Returns the loss of a compiled copy, including the losses of regularizers."""
    model._make_test_function()
    return model.total_loss


def metrics(model: Any) -> Optional[Dict[str, Any]]:
    """Returns name -> metric with its updates, of the metrics that the model was compiled with; None without any."""
    if not getattr(model, "_compile_metrics", None):
        return None
    return {metric.name: metric for metric in model._compile_metric_functions}


def _cloning() -> Any:
    # keras.src.models.cloning, or tf_keras.src.models.cloning
    return importlib.import_module(tf.keras.models.clone_model.__module__)
