"""Checks of shapes and dtypes, reduce_sum_n and remove_squeezable_dimensions."""
from typing import Any, List, Optional, Tuple

from legacy_towers.compat.versions import tf

is_tensor = tf.is_tensor
assert_same_float_dtype = tf.debugging.assert_same_float_dtype
assert_scalar = tf.assert_scalar
convert_to_tensor_or_sparse_tensor = tf.convert_to_tensor_or_sparse_tensor


def assert_scalar_int(tensor: Any, name: Optional[str] = None) -> Any:
    """Asserts that `tensor` is a scalar of an integer dtype, and returns it.

    Raises:
      ValueError: `tensor` has another rank or dtype.
    """
    with tf.name_scope(name, "assert_scalar_int", [tensor]) as scope:
        tensor = tf.convert_to_tensor(tensor)
        if not tensor.dtype.base_dtype.is_integer:
            raise ValueError("Expected integer type for {}, received type: {}.".format(tensor.name, tensor.dtype))
        return tf.assert_scalar(tensor, name=scope)


def reduce_sum_n(tensors: List[Any], name: Optional[str] = None) -> Any:
    """Returns the scalar sum of all elements of all `tensors`.

    Raises:
      ValueError: `tensors` is empty.
    """
    if not tensors:
        raise ValueError("No tensors provided.")
    with tf.name_scope(name, "reduce_sum_n", tensors) as scope:
        sums = [tf.reduce_sum(tensor, name=tensor.op.name + "/sum") for tensor in tensors]
        return sums[0] if len(sums) == 1 else tf.add_n(sums, name=scope)


def remove_squeezable_dimensions(predictions: Any, labels: Any, name: Optional[str] = None) -> Tuple[Any, Any]:
    """Squeezes the last dimension, of size 1, of `predictions` or `labels` if its rank is one higher; returns both."""
    with tf.name_scope(name, "remove_squeezable_dimensions", [predictions, labels]):
        predictions, labels = tf.convert_to_tensor(predictions), tf.convert_to_tensor(labels)
        if predictions.shape.ndims is not None and labels.shape.ndims is not None:
            difference = predictions.shape.ndims - labels.shape.ndims
            if difference == 1:
                predictions = tf.squeeze(predictions, [-1])
            elif difference == -1:
                labels = tf.squeeze(labels, [-1])
            return predictions, labels
        difference = tf.rank(predictions) - tf.rank(labels)
        return _squeezed_if(tf.equal(difference, 1), predictions), _squeezed_if(tf.equal(difference, -1), labels)


def _squeezed_if(condition: Any, tensor: Any) -> Any:
    if tensor.shape.ndims is not None and not tensor.shape[-1:].is_compatible_with([1]):
        return tensor
    return tf.cond(condition, lambda: tf.squeeze(tensor, [-1]), lambda: tf.identity(tensor))


def with_same_shape(expected_tensor: Any, tensor: Any) -> Any:
    """Asserts that `tensor` has the shape of `expected_tensor`, and returns it."""
    shape = expected_tensor.shape
    return with_shape(shape.as_list() if shape.is_fully_defined() else tf.shape(expected_tensor), tensor)


def with_shape(expected_shape: Any, tensor: Any) -> Any:
    """Asserts that `tensor` has a shape, statically if it is known, else in session runs, and returns the tensor.

    Args:
      expected_shape: a list of ints, or an int32 tensor.
      tensor: a tensor; [1] is reshaped to a scalar if the expected shape is [].

    Raises:
      ValueError: the static shape differs, `tensor` is sparse, or `expected_shape` has another dtype.
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
        return _assert_shape(expected_shape, tensor)
    expected = tf.TensorShape(expected_shape)
    if not tensor.shape.is_fully_defined():
        if expected.ndims == 0:
            return tf.reshape(tensor, [])
        sizes = [-1 if size is None else size for size in expected.as_list()]
        result = _assert_shape(tf.constant(sizes, tf.int32), tensor)
        result.set_shape(expected)
        return result
    if tensor.shape.is_compatible_with(expected):
        return tensor
    if expected.ndims == 0 and tensor.shape.as_list() == [1]:
        return tf.reshape(tensor, [])
    raise ValueError(
        "Invalid shape for tensor {}, expected {}, got {}.".format(tensor.name, expected_shape, tensor.shape)
    )


def _assert_shape(expected: Any, tensor: Any) -> Any:
    actual = tf.shape(tensor)
    same_rank = tf.equal(tf.size(expected), tf.size(actual))
    same = tf.cond(
        same_rank,
        lambda: tf.reduce_all(tf.logical_or(tf.equal(expected, -1), tf.equal(expected, actual))),
        lambda: tf.constant(False),
    )
    message = "Wrong shape for {} [expected] [actual].".format(tensor.name)
    with tf.control_dependencies([tf.Assert(same, [message, expected, actual])]):
        return tf.identity(tensor)
