"""Classes of Keras 2 that took their positional arguments in another order in TensorFlow 1.15.

    tf.keras.layers.Conv2D(8, 3, 1, "same", None, 1, "relu")      "relu" is the activation
    model.save("model.h5", True, False)                           False is include_optimizer
"""
from typing import Any, Dict, List

from legacy_towers.compat.patches.keras_classes import model_classes
from legacy_towers.compat.tf1 import known_classes
from legacy_towers.compat.tf1.core import orders
from legacy_towers.compat.tf1.keras.builders import REORDERED
from legacy_towers.compat.versions import tf

# Methods of models.
METHODS = ("save",)


def of_classes() -> Dict[Any, Any]:
    """Returns class -> the change of its arguments, for `keras_classes.arguments_are`."""
    found = {}
    for name in REORDERED:
        value: Any = tf.keras
        for part in name.split("."):
            value = getattr(value, part)
        found[value] = _change("tf.keras." + name, orders.recorded("keras." + name), value.__init__)
    return found


def of_methods() -> Dict[str, Any]:
    """Returns method of models -> the change of its arguments, for `keras_classes.method_arguments_are`."""
    recorded = known_classes.attributes("tensorflow.keras.Model") or {}
    model = model_classes()[1]
    return {
        name: _change("Model." + name, [each.split("=")[0] for each in recorded[name] or ()], vars(model)[name])
        for name in METHODS
    }


def _change(name: str, old: List[str], method: Any) -> Any:
    return orders.change(name, old, orders.by_position(method)[1:], {})
