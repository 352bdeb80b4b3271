"""Names of keras.backend that tf.keras.backend lacks."""
import importlib
from typing import Any, Callable, List

import numpy as np

from legacy_towers.compat import tf as _tf
from legacy_towers.oldtf import tree

_OF_CODE = {"channels_last": "tf", "channels_first": "th"}
_OF_WORD = {word: code for code, word in _OF_CODE.items()}
_MODULES = ("control_flow_ops", "tensor_array_ops", "functional_ops", "math_ops", "array_ops")


def image_dim_ordering() -> str:
    """Returns "tf" for pictures whose channels come last, "th" otherwise."""
    return _OF_CODE[_tf.keras.backend.image_data_format()]


def set_image_dim_ordering(dim_ordering: str) -> None:
    if dim_ordering not in _OF_WORD:
        raise ValueError("dim_ordering is \"tf\" or \"th\", and was given as {!r}".format(dim_ordering))
    _tf.keras.backend.set_image_data_format(_OF_WORD[dim_ordering])


def normalize_data_format(value: Any) -> str:
    """Returns "channels_last" or "channels_first"; what is set, for None."""
    word: str = _tf.keras.backend.image_data_format() if value is None else value.lower()
    if word not in _OF_CODE:
        raise ValueError("data_format is \"channels_first\" or \"channels_last\", and was given as {!r}".format(value))
    return word


def is_tensor(x: Any) -> bool:
    return isinstance(x, (_tf.Tensor, _tf.Variable, _tf.SparseTensor))


def is_placeholder(x: Any) -> bool:
    return getattr(getattr(x, "op", None), "type", None) in ("Placeholder", "PlaceholderWithDefault")


def set_session(session: Any) -> None:
    """Makes `session` the one that Keras runs everything in."""
    _tf.keras.backend.set_session(session)


def get_variable_shape(x: Any) -> Any:
    return _tf.keras.backend.int_shape(x)


def eye(size: Any, dtype: Any = None, name: Any = None) -> Any:
    """A variable with ones on the diagonal; `size` may be (rows, columns)."""
    if not isinstance(size, (list, tuple)):
        return _tf.keras.backend.eye(size, dtype, name)
    return _tf.keras.backend.variable(np.eye(*size), dtype, name)


def slice(x: Any, start: Any, size: Any) -> Any:  # noqa: A001
    return _tf.slice(x, start, size)


def size(x: Any, name: Any = None) -> Any:
    """The number of elements, as a tensor."""
    return _tf.size(x, name=name)


def is_variable(x: Any) -> bool:
    return isinstance(x, _tf.Variable)


def symbolic(func: Callable[..., Any]) -> Callable[..., Any]:
    """Keras 2.3 marked functions that make a graph by it; all do here."""
    return func


eager = symbolic


def control_dependencies(control_inputs: Any) -> Any:
    return _tf.control_dependencies(control_inputs)


def _get_available_gpus() -> List[str]:
    return [each.name for each in _tf.config.experimental.list_logical_devices("GPU")]


def __getattr__(name: str) -> Any:
    if name == "tf":
        return tree.module("tensorflow")
    if name in _MODULES:
        return tree.module("tensorflow.python.ops." + name)
    if name == "tensorflow_backend":
        return importlib.import_module("legacy_towers.oldtf.keras.backend.tensorflow_backend")
    if name == "_BACKEND":
        return "tensorflow"
    raise AttributeError(name)
