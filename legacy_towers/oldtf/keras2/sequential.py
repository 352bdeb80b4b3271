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
