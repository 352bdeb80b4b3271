"""Names of keras.engine.training and keras.engine.topology that later versions of Keras renamed."""
from typing import Any

from legacy_towers.compat.versions import keras_modules, tf

_UTILS = ("standardize_input_data", "standardize_class_weights", "standardize_sample_weights", "standardize_weights")


def __getattr__(name: str) -> Any:
    if name in ("Container", "Network"):
        return tf.keras.Model
    if name.lstrip("_") in _UTILS:  # private until Keras 2.2
        return getattr(keras_modules.source_module("engine.training_utils_v1"), name.lstrip("_"))
    raise AttributeError(name)
