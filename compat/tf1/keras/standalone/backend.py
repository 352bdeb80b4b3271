"""Names of keras.backend that tf.keras.backend lacks."""
from typing import Any, Callable, List

import numpy as np

from legacy_towers.compat.tf1 import script_api
from legacy_towers.compat.versions import tf as _tf

_ORDERINGS = {"channels_last": "tf", "channels_first": "th"}
_DATA_FORMATS = {ordering: data_format for data_format, ordering in _ORDERINGS.items()}
_MODULES = ("control_flow_ops", "tensor_array_ops", "functional_ops", "math_ops", "array_ops")


def image_dim_ordering() -> str:
    """Returns "tf" for image_data_format "channels_last", "th" for "channels_first"."""
    return _ORDERINGS[_tf.keras.backend.image_data_format()]


def set_image_dim_ordering(dim_ordering: str) -> None:
    """Sets image_data_format by its name of Keras 1, "tf" or "th".

    Raises:
      ValueError: it is neither.
    """
    if dim_ordering not in _DATA_FORMATS:
        raise ValueError("dim_ordering must be \"tf\" or \"th\", got {!r}".format(dim_ordering))
    _tf.keras.backend.set_image_data_format(_DATA_FORMATS[dim_ordering])


def normalize_data_format(value: Any) -> str:
    """Returns `value` in lower case, or image_data_format for None.

    Raises:
      ValueError: it is neither "channels_first" nor "channels_last".
    """
    data_format: str = _tf.keras.backend.image_data_format() if value is None else value.lower()
    if data_format not in _ORDERINGS:
        raise ValueError("data_format must be \"channels_first\" or \"channels_last\", got {!r}".format(value))
    return data_format


def is_tensor(x: Any) -> bool:
    return isinstance(x, (_tf.Tensor, _tf.Variable, _tf.SparseTensor))


def is_placeholder(x: Any) -> bool:
    return getattr(getattr(x, "op", None), "type", None) in ("Placeholder", "PlaceholderWithDefault")


def set_session(session: Any) -> None:
    """Sets the session of Keras."""
    _tf.keras.backend.set_session(session)


def get_variable_shape(x: Any) -> Any:
    return _tf.keras.backend.int_shape(x)


def eye(size: Any, dtype: Any = None, name: Any = None) -> Any:
    """Returns a variable, the identity matrix of `size` or, for (rows, columns), ones on its diagonal."""
    if not isinstance(size, (list, tuple)):
        return _tf.keras.backend.eye(size, dtype, name)
    return _tf.keras.backend.variable(np.eye(*size), dtype, name)


def slice(x: Any, start: Any, size: Any) -> Any:  # noqa: A001
    return _tf.slice(x, start, size)


def size(x: Any, name: Any = None) -> Any:
    """Returns the number of elements of `x`, a scalar tensor."""
    return _tf.size(x, name=name)


def is_variable(x: Any) -> bool:
    return isinstance(x, _tf.Variable)


def symbolic(func: Callable[..., Any]) -> Callable[..., Any]:
    """Returns `func`: the decorator of Keras 2.3 for functions that run in a graph, as all do in graph mode."""
    return func


eager = symbolic


def control_dependencies(control_inputs: Any) -> Any:
    return _tf.control_dependencies(control_inputs)


def _get_available_gpus() -> List[str]:
    return [each.name for each in _tf.config.experimental.list_logical_devices("GPU")]


def __getattr__(name: str) -> Any:
    if name == "tf":
        return script_api.tensorflow()
    if name in _MODULES:
        return script_api.module("tensorflow.python.ops." + name)
    if name == "tensorflow_backend":
        return script_api.module("keras.backend.tensorflow_backend")
    if name == "_BACKEND":
        return "tensorflow"
    raise AttributeError(name)
