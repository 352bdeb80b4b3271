"""tensorflow.python.keras as an alias of tf.keras.

TensorFlow 2.x has a package of this name, but its sessions and layers are others than those of tf.keras. Names are
looked up in tf.keras first, then in the source of that Keras.
"""
import types
from typing import Any, List, Optional

from legacy_towers.compat.tf1.keras import scripts_keras
from legacy_towers.compat.versions import keras_modules

# Modules below layers/ that Keras has split since; their classes are all in tf.keras.layers.
_FILES_OF_LAYERS = frozenset(
    "advanced_activations convolutional convolutional_recurrent core cudnn_recurrent embeddings local merge noise"
    " normalization pooling recurrent wrappers".split()
)
# (module, name) -> the module of Keras's source that has the name now.
_MOVED = {("engine.base_layer", "InputSpec"): "engine.input_spec", ("engine.base_layer", "Node"): "engine.node"}


class KerasModule(types.ModuleType):
    """tensorflow.python.keras or a module below it.

    Args:
      path: below tensorflow.python.keras: "layers.convolutional"; empty for tensorflow.python.keras.
      public: the module of this path in tf.keras, None if there is none.
    """

    def __init__(self, path: str, public: Any) -> None:
        super().__init__("tensorflow.python.keras" + ("." + path if path else ""))
        self.__dict__["_path_and_public"] = (path, public)
        self.__path__: List[str] = []

    def __getattr__(self, name: str) -> Any:
        if name == "_path_and_public" or (name.startswith("__") and name.endswith("__")):
            raise AttributeError(name)
        path, public = self._path_and_public
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
            raise AttributeError("the installed Keras 2 has no tensorflow.python.keras.{}".format(below))
        self.__dict__[name] = value
        return value

    def __dir__(self) -> List[str]:
        path, public = self._path_and_public
        return sorted(set(dir(public)) | set(dir(keras_modules.source_module(path)) if path else ()))


def _module(path: str, public: Any) -> Optional[KerasModule]:
    if public is None and keras_modules.source_module(path) is None:
        return None
    return KerasModule(path, public)


keras = KerasModule("", scripts_keras.keras)
