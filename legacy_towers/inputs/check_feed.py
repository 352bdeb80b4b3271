"""Does a value fit a placeholder? Said before `session.run`, with the tower and the component."""
from typing import Any

import numpy as np

from legacy_towers.compat import tf
from legacy_towers.errors import InputError


def fit(value: Any, placeholder: Any, where: str) -> np.ndarray:
    """Returns `value` as an array of the placeholder's dtype; see `check`."""
    array = check(value, placeholder, where)
    return array if placeholder.dtype.base_dtype == tf.string else array.astype(numpy_dtype(placeholder), copy=False)


def numpy_dtype(placeholder: Any) -> np.dtype:
    """Returns the dtype of what TensorFlow is fed for `placeholder`."""
    return np.dtype(placeholder.dtype.base_dtype.as_numpy_dtype)


def check(value: Any, placeholder: Any, where: str) -> np.ndarray:
    """Returns `value` as an array that `placeholder` takes once it is converted to its dtype.

    Python numbers fit any float, and integers that can hold them. Arrays fit their own kind: any float becomes any
    other, as TensorFlow does it; integers become other integers if no value is lost.

    Args:
      value: what is to be fed.
      placeholder: a tf.placeholder.
      where: the beginning of the message, such as "tower 2, component 'query'".

    Raises:
      InputError: the shape or dtype doesn't fit.
    """
    array = _as_array(value, where)
    if array.dtype != numpy_dtype(placeholder):
        wrong = _misfit(array, placeholder.dtype.base_dtype, is_python=not hasattr(value, "dtype"))
        if wrong:
            raise InputError("{}: {}".format(where, wrong))
    if not placeholder.shape.is_compatible_with(array.shape):
        raise InputError(
            "{}: shape {} is fed where {} is expected".format(where, array.shape, _shape_text(placeholder.shape))
        )
    return array


def _as_array(value: Any, where: str) -> np.ndarray:
    if isinstance(value, tf.Tensor):
        raise InputError("{}: a tensor can't be fed, only its value: {}".format(where, value.name))
    try:
        return np.asarray(value)
    except ValueError as error:  # newer numpy refuses rows of different lengths; older gives an array of objects
        raise InputError("{}: this is no array: {}".format(where, error)) from None


def _misfit(array: np.ndarray, dtype: Any, is_python: bool) -> str:
    """Returns why `array` can't become `dtype` without loss, "" if it can."""
    given = _kind(array)
    wanted = _kind_of(dtype)
    if given == "object" and wanted != "string" and not array.size:
        return "an empty array of Python objects is no {}".format(dtype.name)
    if given == "object" and wanted != "string":
        return "a Python object of type {} is no {}".format(type(array.ravel()[0]).__name__, dtype.name)
    if given == "object":
        return ""
    if given == wanted == "integer":
        limits = np.iinfo(dtype.as_numpy_dtype)
        if array.size and (array.min() < limits.min or array.max() > limits.max):
            worst = array.max() if array.max() > limits.max else array.min()
            return "{} is too large for {}".format(worst, dtype.name)
        return ""
    if given == wanted or (is_python and (array.size == 0 or (given, wanted) == ("integer", "floating"))):
        return ""
    refused = "{} is fed where {} is expected".format(given if given == "string" else array.dtype.name, dtype.name)
    if "string" in (given, wanted):
        return refused
    return refused + ": convert it by .astype(np.{}) if that is meant".format(np.dtype(dtype.as_numpy_dtype).name)


def _kind(array: np.ndarray) -> str:
    if array.dtype.kind == "O":
        return "object"
    if array.dtype.kind in "SU":
        return "string"
    try:
        return _kind_of(tf.as_dtype(array.dtype))
    except TypeError:  # dates and records, which TensorFlow has no type for
        return array.dtype.name


def _kind_of(dtype: Any) -> str:
    for kind in ("bool", "integer", "floating", "complex"):
        if getattr(dtype, "is_" + kind):
            return kind
    return dtype.name


def _shape_text(shape: Any) -> str:
    if shape.ndims is None:
        return "any shape"
    dimensions = ["?" if dimension is None else str(dimension) for dimension in shape.as_list()]
    return "({}{})".format(", ".join(dimensions), "," if len(dimensions) == 1 else "")
