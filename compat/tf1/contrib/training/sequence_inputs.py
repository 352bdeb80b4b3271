"""Checks and padding of the inputs of `sequence_states`."""
import collections
from typing import Any, Dict, Tuple

from legacy_towers.compat.versions import tf


def tensors(kind: str, values: Any) -> Dict[str, Any]:
    """Returns name -> tensor of the dict `values`, ordered by name.

    Raises:
      TypeError: `values` is not a dict with string keys.
      ValueError: a name has a colon, or a tensor is sparse or of unknown shape.
    """
    if not isinstance(values, dict):
        raise TypeError("{}s must be a dict".format(kind))
    result = collections.OrderedDict()
    for name in sorted(values):
        if not isinstance(name, str):
            raise TypeError("{} key must be string: {}".format(kind, name))
        if ":" in name:
            raise ValueError("{} key may not have a colon: '{}'".format(kind, name))
        if isinstance(values[name], (tf.SparseTensor, tf.SparseTensorValue)):
            raise ValueError(
                "{} {} is a SparseTensor, which is not supported: use tf.sparse_tensor_to_dense".format(kind, name)
            )
        tensor = tf.convert_to_tensor(values[name], name="{}_{}".format(kind, name))
        shape = tensor.shape[1:] if kind == "sequence" else tensor.shape
        if not shape.is_fully_defined():
            raise ValueError("Shape for {} {} is not fully defined: {}".format(kind, name, tensor.shape))
        result[name] = tensor
    return result


def length_and_key(length: Any, key: Any) -> Tuple[Any, Any]:
    """Returns (length, key) as an int32 and a string scalar.

    Raises:
      TypeError: one of them has another dtype.
    """
    length, key = tf.convert_to_tensor(length, name="length"), tf.convert_to_tensor(key, name="key")
    if length.dtype != tf.int32:
        raise TypeError("length dtype must be int32, but received: {}".format(length.dtype))
    if key.dtype != tf.string:
        raise TypeError("key dtype must be string, but received: {}".format(key.dtype))
    length.shape.assert_has_rank(0)
    key.shape.assert_has_rank(0)
    return length, key


def pad(sequences: Dict[str, Any], num_unroll: int) -> Tuple[Any, Dict[str, Any]]:
    """Pads sequences to a multiple of `num_unroll` steps, with zeros or empty strings.

    Returns:
      (the number of steps before padding, name -> padded sequence).
    """
    length = tf.shape(next(iter(sequences.values())))[0]
    message = "All sequence lengths must match"
    with tf.control_dependencies(
        [tf.assert_equal(tf.shape(each)[0], length, message=message) for each in sequences.values()]
    ):
        length = tf.identity(length)
    missing = (num_unroll - length % num_unroll) % num_unroll
    padded = collections.OrderedDict()
    for name, value in sequences.items():
        padding_value = tf.constant("" if value.dtype == tf.string else 0, dtype=value.dtype)
        padding = tf.fill(tf.concat([[missing], tf.shape(value)[1:]], 0), padding_value)
        padded[name] = tf.concat([value, padding], 0)
        padded[name].set_shape([None] + value.shape.as_list()[1:])
    return length, padded
