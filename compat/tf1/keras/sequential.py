"""tf.keras.Sequential as in TensorFlow 1.15: it accepts inputs of another rank than its input_shape.

In 1.15 only the layers check their inputs: a model with input_shape=(784,) that begins with Reshape or Dense accepts
images of [n, 28, 28] too. Since TensorFlow 2.2 the model itself rejects inputs that are not [n, 784].
"""
from typing import Any

from legacy_towers.compat.tf1.keras import predictions
from legacy_towers.compat.versions import tf


class Sequential(tf.keras.Sequential):
    """tf.keras.Sequential that leaves the check of inputs to its layers."""

    def __init__(self, *arguments: Any, **options: Any) -> None:
        super().__init__(*arguments, **options)
        self.input_spec = None

    def predict_classes(self, x: Any, batch_size: Any = 32, verbose: int = 0) -> Any:
        """Returns the class of each example: the largest output, or for a single output whether it is above 0.5."""
        return predictions.OF_MODELS["predict_classes"](self, x, batch_size, verbose)

    def predict_proba(self, x: Any, batch_size: Any = 32, verbose: int = 0) -> Any:
        """Returns the outputs for each example."""
        return predictions.OF_MODELS["predict_proba"](self, x, batch_size, verbose)


def clone_model(*arguments: Any, **options: Any) -> Any:
    """Returns tf.keras.models.clone_model; Sequential models in the copy leave the check of inputs to their layers."""
    return _without_input_specs(tf.keras.models.clone_model(*arguments, **options))


def _without_input_specs(model: Any) -> Any:
    for each in [model] + list(getattr(model, "layers", [])):
        if isinstance(each, tf.keras.Sequential):
            each.input_spec = None
        if each is not model and isinstance(each, tf.keras.Model):
            _without_input_specs(each)
    return model


# Saved models contain the class name of tf.keras; models that are loaded or made from a config are of this class.
Sequential.__module__ = tf.keras.Sequential.__module__
tf.keras.utils.get_custom_objects()["Sequential"] = Sequential
