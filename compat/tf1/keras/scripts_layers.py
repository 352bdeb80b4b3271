"""tf.layers of the view: TensorFlow's classes; under `run` they have the methods and arguments of 1.15."""
from typing import Any

from legacy_towers.compat.tf1.keras import scripts_keras
from legacy_towers.compat.versions import keras as chosen
from legacy_towers.compat.versions import supported, tf
from legacy_towers.compat.versions.module_view import ModuleView


def _patched() -> None:
    """Patches the layers of Keras 2; where only Keras 3 is installed, tf.layers raises its error."""
    if chosen.keras_3_problem(supported.parse(tf.__version__)) is None:
        scripts_keras.patch_models()


def Input(  # noqa: N802
    shape: Any = None, batch_size: Any = None, name: Any = None, dtype: Any = tf.float32, sparse: bool = False,
    tensor: Any = None,
) -> Any:
    """Returns the placeholder of tf.keras.layers.Input, which tf.layers of TensorFlow 1.4 had too.

    Args:
      shape: the shape of one example, without the batch.
      batch_size: the size of the batch, None if it is unknown.
    """
    given = {"shape": shape, "batch_size": batch_size, "name": name, "dtype": dtype, "sparse": sparse, "tensor": tensor}
    return tf.keras.layers.Input(**given)


layers = ModuleView("tf.layers", tf.layers, problem=_patched)
