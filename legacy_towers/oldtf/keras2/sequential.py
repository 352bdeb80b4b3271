"""tf.keras.Sequential as TensorFlow 1.15 had it: called with inputs of another rank than it was described with.

input_shape=(784,) told a model which variables to make, and the layers alone what they take: one that begins with
Reshape or Dense took pictures of [n, 28, 28] too. Since TensorFlow 2.2 the model refuses what is no [n, 784].
"""
from typing import Any

from legacy_towers.compat import tf


class Sequential(tf.keras.Sequential):
    """tf.keras.Sequential; its layers check their inputs, it doesn't."""

    def __init__(self, *arguments: Any, **options: Any) -> None:
        super().__init__(*arguments, **options)
        self.input_spec = None


def clone_model(*arguments: Any, **options: Any) -> Any:
    """tf.keras.models.clone_model; a Sequential of the copy takes what that of the model takes."""
    return _checking_nothing(tf.keras.models.clone_model(*arguments, **options))


def _checking_nothing(model: Any) -> Any:
    for each in [model] + list(getattr(model, "layers", [])):
        if isinstance(each, tf.keras.Sequential):
            each.input_spec = None
        if each is not model and isinstance(each, tf.keras.Model):
            _checking_nothing(each)
    return model


# Models that are saved name the class as tf.keras's, and those that are read or made from a config are of this one.
Sequential.__module__ = tf.keras.Sequential.__module__
tf.keras.utils.get_custom_objects()["Sequential"] = Sequential
