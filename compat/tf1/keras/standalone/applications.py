"""Names and arguments of keras.applications that tf.keras.applications lacks.

    ResNet50(weights=None, backend=keras.backend, layers=keras.layers, models=keras.models, utils=keras.utils)

These arguments select the Keras that functions of keras.applications and of the package keras_applications use.
"""
import functools
from typing import Any, Callable

from legacy_towers.compat.versions import keras_modules, tf

_KERAS = ("backend", "layers", "models", "utils")


def without_keras(function: Callable[..., Any]) -> Callable[..., Any]:
    """Returns `function`, changed to ignore arguments that are modules of Keras."""

    @functools.wraps(function)
    def called(*arguments: Any, **options: Any) -> Any:
        return function(*arguments, **{name: value for name, value in options.items() if name not in _KERAS})

    return called


def relu6(x: Any) -> Any:
    """Returns relu with the maximum 6; scripts load saved MobileNet models with custom_objects={"relu6": relu6}."""
    return tf.keras.backend.relu(x, max_value=6)


def __getattr__(name: str) -> Any:
    if name == "_obtain_input_shape":
        return keras_modules.source_module("applications.imagenet_utils").obtain_input_shape
    if name == "DepthwiseConv2D":
        return tf.keras.layers.DepthwiseConv2D
    raise AttributeError(name)
