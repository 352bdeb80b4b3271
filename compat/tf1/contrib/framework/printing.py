"""tf.contrib.framework.print_op."""
from typing import Any, List, Optional

from legacy_towers.compat.versions import tf


def print_op(
    input_: Any,
    data: Optional[List[Any]] = None,
    message: Optional[str] = None,
    first_n: Optional[int] = None,
    summarize: int = 20,
    print_tensor_name: bool = True,
    print_tensor_type: bool = True,
    print_shape: bool = True,
    summarize_indicator_vector: bool = True,
    name: Optional[str] = None,
) -> Any:
    """Returns `input_`; its value and `data` are printed whenever it is computed.

    Args:
      input_: a tensor, SparseTensor, variable or TensorArray.
      data: a list of others to print with it.
      message: the text to print before the values.
      first_n: the number of times to print; None prints always.
      summarize: the maximum number of elements of a tensor to print.
      print_tensor_name: whether to print names.
      print_tensor_type: whether to print types.
      print_shape: whether to print shapes.
      summarize_indicator_vector: whether to print the index of the first True of bool tensors.
      name: the name of the operation.

    Raises:
      ValueError: `input_` has another type.
    """
    parts: List[Any] = []
    for value in [input_] + list(data or []):
        if print_tensor_name and tf.is_tensor(value) and hasattr(value, "name"):
            parts.append(tf.constant("Name: " + value.name))
        if print_tensor_type:
            parts.append(tf.constant("Type: {} ({})".format(_kind(value), value.dtype.name)))
        if print_shape:
            parts.extend(_shape(value))
        if summarize_indicator_vector and value.dtype == tf.bool:
            parts.append(tf.constant("First True in Boolean tensor at:"))
            parts.append(tf.argmax(tf.cast(value, tf.uint8), 0))
        parts.extend(_values(value))
    message = message or ""
    if _kind(input_) in ("Tensor", "Variable"):
        return tf.Print(input_, parts, message, first_n, summarize, name)
    with tf.control_dependencies([tf.Print(tf.constant([]), parts, message, first_n, summarize, name)]):
        if _kind(input_) == "TensorArray":
            return input_.identity()
        return tf.SparseTensor(
            tf.identity(input_.indices), tf.identity(input_.values), tf.identity(input_.dense_shape)
        )


def _kind(value: Any) -> str:
    for kind in ("SparseTensor", "TensorArray", "Variable", "Tensor"):
        if isinstance(value, getattr(tf, kind)):
            return kind
    raise ValueError("input_ must be of type Tensor, SparseTensor or TensorArray")


def _shape(value: Any) -> List[Any]:
    if _kind(value) == "SparseTensor":
        return [tf.constant("Shape:"), value.dense_shape]
    if _kind(value) == "TensorArray":
        return [tf.constant("Size:"), value.size()]
    return [tf.constant("Shape: {}".format(value.shape.dims))]


def _values(value: Any) -> List[Any]:
    if _kind(value) == "SparseTensor":
        return [tf.constant("Sparse indices:"), value.indices, tf.constant("Sparse values:"), value.values]
    return [tf.constant("Value:"), value.stack() if _kind(value) == "TensorArray" else tf.convert_to_tensor(value)]
