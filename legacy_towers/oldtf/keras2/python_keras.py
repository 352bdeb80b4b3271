"""tensorflow.python.keras, as scripts imported it: the Keras of tf.keras.

TensorFlow 2.x has a package of this name, a remainder that knows nothing of tf.keras's sessions and layers. Names are
looked up in tf.keras first, then in the source of the Keras that tf.keras is.
"""
import types
from typing import Any, List, Optional

from legacy_towers.compat import keras_modules
from legacy_towers.oldtf.keras2 import scripts_keras

# Files below layers/ that Keras took apart since; their classes are all in tf.keras.layers.
_FILES_OF_LAYERS = frozenset(
    "advanced_activations convolutional convolutional_recurrent core cudnn_recurrent embeddings local merge noise"
    " normalization pooling recurrent wrappers".split()
)
# (module, name) -> the module of Keras's source that has it since.
_MOVED = {("engine.base_layer", "InputSpec"): "engine.input_spec", ("engine.base_layer", "Node"): "engine.node"}


class KerasModule(types.ModuleType):
    """One module below tensorflow.python.keras.

    Args:
      path: below tensorflow.python.keras: "layers.convolutional"; empty for itself.
      public: tf.keras's module of this path, None where it has none.
    """

    def __init__(self, path: str, public: Any) -> None:
        super().__init__("tensorflow.python.keras" + ("." + path if path else ""))
        self.__dict__["_place"] = (path, public)
        self.__path__: List[str] = []

    def __getattr__(self, name: str) -> Any:
        if name == "_place" or (name.startswith("__") and name.endswith("__")):
            raise AttributeError(name)
        path, public = self._place
        below = path + "." + name if path else name
        value = getattr(public, name, None)
        if value is None or isinstance(value, types.ModuleType):
            value = _module(below, value) or value
        if value is None:
            value = getattr(keras_modules.source_module(path), name, None) if path else None
        if value is None and (path, name) in _MOVED:
            value = getattr(keras_modules.source_module(_MOVED[path, name]), name, None)
        if value is None and path == "layers" and name in _FILES_OF_LAYERS:
            value = KerasModule(below, public)
        if value is None:
            raise AttributeError("tensorflow.python.keras.{} is in no Keras that is here".format(below))
        self.__dict__[name] = value
        return value

    def __dir__(self) -> List[str]:
        path, public = self._place
        return sorted(set(dir(public)) | set(dir(keras_modules.source_module(path)) if path else ()))


def _module(path: str, public: Any) -> Optional[KerasModule]:
    if public is None and keras_modules.source_module(path) is None:
        return None
    return KerasModule(path, public)


keras = KerasModule("", scripts_keras.keras)
