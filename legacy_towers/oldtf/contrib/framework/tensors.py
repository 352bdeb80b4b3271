"""Checks and small sums of tensors."""
from typing import Any, List, Optional, Tuple

from legacy_towers.compat import tf

is_tensor = tf.is_tensor
assert_same_float_dtype = tf.debugging.assert_same_float_dtype
assert_scalar = tf.assert_scalar
convert_to_tensor_or_sparse_tensor = tf.convert_to_tensor_or_sparse_tensor


def assert_scalar_int(tensor: Any, name: Optional[str] = None) -> Any:
    """Returns `tensor`, a scalar of integer type.

    Raises:
      ValueError: it is of another rank or type.
    """
    with tf.name_scope(name, "assert_scalar_int", [tensor]) as scope:
        tensor = tf.convert_to_tensor(tensor)
        if not tensor.dtype.base_dtype.is_integer:
            raise ValueError("Expected integer type for {}, received type: {}.".format(tensor.name, tensor.dtype))
        return tf.assert_scalar(tensor, name=scope)


def reduce_sum_n(tensors: List[Any], name: Optional[str] = None) -> Any:
    """Returns the sum of all elements of all `tensors`, a scalar.

    Raises:
      ValueError: there are none.
    """
    if not tensors:
        raise ValueError("No tensors provided.")
    with tf.name_scope(name, "reduce_sum_n", tensors) as scope:
        sums = [tf.reduce_sum(tensor, name=tensor.op.name + "/sum") for tensor in tensors]
        return sums[0] if len(sums) == 1 else tf.add_n(sums, name=scope)


def remove_squeezable_dimensions(predictions: Any, labels: Any, name: Optional[str] = None) -> Tuple[Any, Any]:
    """Returns `predictions` and `labels`, the one of a rank more without its last dimension of size 1."""
    with tf.name_scope(name, "remove_squeezable_dimensions", [predictions, labels]):
        predictions, labels = tf.convert_to_tensor(predictions), tf.convert_to_tensor(labels)
        if predictions.shape.ndims is not None and labels.shape.ndims is not None:
            more = predictions.shape.ndims - labels.shape.ndims
            if more == 1:
                predictions = tf.squeeze(predictions, [-1])
            elif more == -1:
                labels = tf.squeeze(labels, [-1])
            return predictions, labels
        more = tf.rank(predictions) - tf.rank(labels)
        return _squeezed_if(tf.equal(more, 1), predictions), _squeezed_if(tf.equal(more, -1), labels)


def _squeezed_if(condition: Any, tensor: Any) -> Any:
    if tensor.shape.ndims is not None and not tensor.shape[-1:].is_compatible_with([1]):
        return tensor
    return tf.cond(condition, lambda: tf.squeeze(tensor, [-1]), lambda: tf.identity(tensor))


def with_same_shape(expected_tensor: Any, tensor: Any) -> Any:
    """Returns `tensor`, checked to have the shape of `expected_tensor`."""
    shape = expected_tensor.shape
    return with_shape(shape.as_list() if shape.is_fully_defined() else tf.shape(expected_tensor), tensor)


def with_shape(expected_shape: Any, tensor: Any) -> Any:
    """Returns `tensor`, checked to have a shape: now where it is known, else when it is computed.

    Args:
      expected_shape: a list of ints, or an int32 tensor.
      tensor: a tensor; a [1] one is made a scalar where [] is expected.

    Raises:
      ValueError: the shape is another one, or is no shape.
    """
    if isinstance(tensor, tf.SparseTensor):
        raise ValueError("SparseTensor not supported.")
    if tf.is_tensor(expected_shape):
        if expected_shape.dtype.base_dtype != tf.int32:
            raise ValueError(
                "Invalid dtype {} for shape {} expected of tensor {}.".format(
                    expected_shape.dtype, expected_shape, tensor.name
                )
            )
        return _checked_when_computed(expected_shape, tensor)
    expected = tf.TensorShape(expected_shape)
    if not tensor.shape.is_fully_defined():
        if expected.ndims == 0:
            return tf.reshape(tensor, [])
        sizes = [-1 if size is None else size for size in expected.as_list()]
        result = _checked_when_computed(tf.constant(sizes, tf.int32), tensor)
        result.set_shape(expected)
        return result
    if tensor.shape.is_compatible_with(expected):
        return tensor
    if expected.ndims == 0 and tensor.shape.as_list() == [1]:
        return tf.reshape(tensor, [])
    raise ValueError(
        "Invalid shape for tensor {}, expected {}, got {}.".format(tensor.name, expected_shape, tensor.shape)
    )


def _checked_when_computed(expected: Any, tensor: Any) -> Any:
    actual = tf.shape(tensor)
    same_rank = tf.equal(tf.size(expected), tf.size(actual))
    same = tf.cond(
        same_rank,
        lambda: tf.reduce_all(tf.logical_or(tf.equal(expected, -1), tf.equal(expected, actual))),
        lambda: tf.constant(False),
    )
    what = "Wrong shape for {} [expected] [actual].".format(tensor.name)
    with tf.control_dependencies([tf.Assert(same, [what, expected, actual])]):
        return tf.identity(tensor)
