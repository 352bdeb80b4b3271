"""Operations that accept fewer dtypes in TensorFlow 2 than in 1.15, or give results of other dtypes.

    numpy's float64  1.15 makes it float32 where an operation has float32 as its default
    float16          2.x has fewer kernels; the results here are computed in float32, and are float16
    integers         1.15 divides them, and has their variance, weighted counts and einsum
"""
import functools
from typing import Any, Callable, List

import numpy as np

from legacy_towers.compat.tf1.core import dotted_names
from legacy_towers.compat.tf1.core.replaced_functions import HALVES
from legacy_towers.compat.versions import tf


def as_default_float(value: Any) -> Any:
    """Returns numpy numbers as float32; a tensor as it is."""
    is_wide = isinstance(value, (np.ndarray, np.generic)) and value.dtype not in (np.float16, np.float32)
    return np.asarray(value, np.float32) if is_wide else value


def numpy_in_float32(function: Callable[..., Any], *names: str) -> Callable[..., Any]:
    """Returns `function`, which takes numpy arrays for its arguments `names`, in their order, as float32."""
    last = len(names)

    @functools.wraps(function)
    def called(*arguments: Any, **options: Any) -> Any:
        first = tuple(as_default_float(each) for each in arguments[:last])
        options.update({each: as_default_float(options[each]) for each in names if each in options})
        return function(*first, *arguments[last:], **options)

    return called


def in_float32(function: Callable[..., Any]) -> Callable[..., Any]:
    """Returns `function`, computed in float32 where an argument is of float16."""

    @functools.wraps(function)
    def called(*arguments: Any, **options: Any) -> Any:
        if not any(_is_half(each) for each in list(arguments) + list(options.values())):
            return function(*arguments, **options)
        wide = [tf.cast(each, tf.float32) if _is_half(each) else each for each in arguments]
        wide_options = {name: tf.cast(x, tf.float32) if _is_half(x) else x for name, x in options.items()}
        return _as_halves(function(*wide, **wide_options))

    return called


def _is_half(value: Any) -> bool:
    if isinstance(value, (tf.Tensor, tf.Variable)):
        return bool(value.dtype.base_dtype == tf.float16)
    return isinstance(value, (np.ndarray, np.generic)) and value.dtype == np.float16


def _as_halves(result: Any) -> Any:
    if isinstance(result, (list, tuple)):
        halves: List[Any] = [_as_halves(each) for each in result]
        return type(result)(*halves) if hasattr(result, "_fields") else type(result)(halves)
    return tf.cast(result, tf.float16) if result.dtype == tf.float32 else result


max_pool = numpy_in_float32(tf.nn.max_pool, "value")
max_pool2d = numpy_in_float32(tf.nn.max_pool2d, "input")
max_pool_v2 = numpy_in_float32(tf.nn.max_pool_v2, "input")
ctc_greedy_decoder = numpy_in_float32(tf.nn.ctc_greedy_decoder, "inputs")
ctc_beam_search_decoder = numpy_in_float32(tf.nn.ctc_beam_search_decoder, "inputs")
ctc_beam_search_decoder_v2 = numpy_in_float32(tf.nn.ctc_beam_search_decoder_v2, "inputs")
nextafter = numpy_in_float32(tf.math.nextafter, "x1", "x2")


@functools.wraps(tf.summary.histogram)
def histogram(name: Any, values: Any, *arguments: Any, **options: Any) -> Any:
    return tf.summary.histogram(name, as_default_float(values), *arguments, **options)


@functools.wraps(tf.divide)
def divide(x: Any, y: Any, name: Any = None) -> Any:
    """Returns x / y; of two numpy arrays it is a numpy array, as in 1.15."""
    are_arrays = all(isinstance(each, (np.ndarray, np.generic)) or np.isscalar(each) for each in (x, y))
    return x / y if are_arrays and name is None else tf.divide(x, y, name)


@functools.wraps(tf.truncatediv)
def truncatediv(x: Any, y: Any, name: Any = None) -> Any:
    """Returns x / y; integers are rounded towards zero, and floats are not, as in 1.15."""
    x = tf.convert_to_tensor(x)
    return tf.realdiv(x, y, name) if x.dtype.is_floating else tf.truncatediv(x, y, name)


@functools.wraps(tf.realdiv)
def realdiv(x: Any, y: Any, name: Any = None) -> Any:
    """Returns x / y; integers are rounded towards zero, as in 1.15."""
    x = tf.convert_to_tensor(x)
    return tf.truncatediv(x, y, name) if x.dtype.is_integer else tf.realdiv(x, y, name)


@functools.wraps(tf.math.reduce_variance)
def reduce_variance(input_tensor: Any, axis: Any = None, keepdims: bool = False, name: Any = None) -> Any:
    """Returns the variance; that of integers is an integer, as in 1.15."""
    x = tf.convert_to_tensor(input_tensor)
    if not x.dtype.is_integer:
        return tf.math.reduce_variance(x, axis, keepdims, name)
    with tf.name_scope(name or "reduce_variance"):
        deviations = x - tf.reduce_mean(x, axis=axis, keepdims=True)
        return tf.reduce_mean(tf.square(deviations), axis=axis, keepdims=keepdims)


@functools.wraps(tf.bincount)
def bincount(
    arr: Any, weights: Any = None, minlength: Any = None, maxlength: Any = None, dtype: Any = tf.int32
) -> Any:
    """Returns tf.bincount; weights may be of any number type, as in 1.15."""
    weights = None if weights is None else tf.convert_to_tensor(weights, name="weights")
    if weights is None or weights.dtype in (tf.int32, tf.int64, tf.float32, tf.float64):
        return tf.bincount(arr, weights, minlength, maxlength, dtype)
    arr = tf.convert_to_tensor(arr, name="arr", dtype=tf.int32)
    length = tf.size(tf.bincount(arr, None, minlength, maxlength))
    return tf.unsorted_segment_sum(weights, arr, length)


@functools.wraps(tf.einsum)
def einsum(equation: str, *inputs: Any, **options: Any) -> Any:
    """Returns tf.einsum; integers of 8 and 16 bits are computed in 32, and wrap around, as in 1.15."""
    tensors = [tf.convert_to_tensor(each) for each in inputs]
    dtype = tensors[0].dtype if tensors else None
    if dtype not in (tf.uint8, tf.int8, tf.uint16, tf.int16) or any(each.dtype != dtype for each in tensors):
        return tf.einsum(equation, *tensors, **options)
    return tf.cast(tf.einsum(equation, *[tf.cast(each, tf.int32) for each in tensors], **options), dtype)


def __getattr__(name: str) -> Any:
    return dotted_names.find(name, HALVES, lambda path: in_float32(functools.reduce(getattr, path.split("."), tf)))
