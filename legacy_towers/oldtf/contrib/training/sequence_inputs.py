"""What `sequence_states` is given, checked and padded."""
import collections
from typing import Any, Dict, Tuple

from legacy_towers.compat import tf


def tensors(kind: str, given: Any) -> Dict[str, Any]:
    """Returns name -> tensor, by name."""
    if not isinstance(given, dict):
        raise TypeError("{}s must be a dict".format(kind))
    found = collections.OrderedDict()
    for name in sorted(given):
        if not isinstance(name, str):
            raise TypeError("{} key must be string: {}".format(kind, name))
        if ":" in name:
            raise ValueError("{} key may not have a colon: '{}'".format(kind, name))
        if isinstance(given[name], (tf.SparseTensor, tf.SparseTensorValue)):
            raise ValueError("{} {} is sparse, which is not served: make it dense".format(kind, name))
        tensor = tf.convert_to_tensor(given[name], name="{}_{}".format(kind, name))
        shape = tensor.shape[1:] if kind == "sequence" else tensor.shape
        if not shape.is_fully_defined():
            raise ValueError("Shape for {} {} is not fully defined: {}".format(kind, name, tensor.shape))
        found[name] = tensor
    return found


def length_and_key(length: Any, key: Any) -> Tuple[Any, Any]:
    """Returns both as tensors of one number and one word."""
    length, key = tf.convert_to_tensor(length, name="length"), tf.convert_to_tensor(key, name="key")
    if length.dtype != tf.int32:
        raise TypeError("length dtype must be int32, but received: {}".format(length.dtype))
    if key.dtype != tf.string:
        raise TypeError("key dtype must be string, but received: {}".format(key.dtype))
    length.shape.assert_has_rank(0)
    key.shape.assert_has_rank(0)
    return length, key


def padded(sequences: Dict[str, Any], num_unroll: int) -> Tuple[Any, Dict[str, Any]]:
    """Returns the steps of the sequences, and the sequences with zeros, or empty strings, behind."""
    length = tf.shape(next(iter(sequences.values())))[0]
    message = "All sequence lengths must match"
    with tf.control_dependencies(
        [tf.assert_equal(tf.shape(each)[0], length, message=message) for each in sequences.values()]
    ):
        length = tf.identity(length)
    missing = (num_unroll - length % num_unroll) % num_unroll
    padded = collections.OrderedDict()
    for name, value in sequences.items():
        nothing = tf.constant("" if value.dtype == tf.string else 0, dtype=value.dtype)
        zeros = tf.fill(tf.concat([[missing], tf.shape(value)[1:]], 0), nothing)
        padded[name] = tf.concat([value, zeros], 0)
        padded[name].set_shape([None] + value.shape.as_list()[1:])
    return length, padded
