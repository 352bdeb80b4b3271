"""Checks that a value fits a placeholder before `session.run`, with errors that name the tower and the component."""
from typing import Any

import numpy as np

from legacy_towers.compat import tf
from legacy_towers.errors import InputError
from legacy_towers.tensor_types import DType, Tensor


def fit(value: Any, placeholder: Tensor, where: str) -> np.ndarray:
    """Returns `value` as an array of the placeholder's dtype, checked as by `check`."""
    array = check(value, placeholder, where)
    return array if placeholder.dtype.base_dtype == tf.string else array.astype(numpy_dtype(placeholder), copy=False)


def numpy_dtype(placeholder: Tensor) -> np.dtype:
    """Returns the numpy dtype of `placeholder`."""
    return np.dtype(placeholder.dtype.base_dtype.as_numpy_dtype)


def check(value: Any, placeholder: Tensor, where: str) -> np.ndarray:
    """Returns `value` as an array that can be converted to the placeholder's dtype without loss, of a compatible shape.

    Python numbers fit float placeholders, and integer ones that can represent them. Arrays fit placeholders of the same
    kind: any float dtype any other, as in TensorFlow; integers other integers that can represent their values.

    Args:
      where: the beginning of error messages, such as "tower 2, component 'query'".

    Raises:
      InputError: the shape or dtype does not fit.
    """
    array = _as_array(value, where)
    if array.dtype != numpy_dtype(placeholder):
        wrong = _misfit(array, placeholder.dtype.base_dtype, is_python=not hasattr(value, "dtype"))
        if wrong:
            raise InputError("{}: {}".format(where, wrong))
    if not placeholder.shape.is_compatible_with(array.shape):
        raise InputError(
            "{}: the placeholder has the shape {}, got a value of shape {}".format(
                where, _shape_text(placeholder.shape), array.shape
            )
        )
    return array


def _as_array(value: Any, where: str) -> np.ndarray:
    if isinstance(value, tf.Tensor):
        raise InputError("{}: a tensor can't be fed, only its value: {}".format(where, value.name))
    try:
        return np.asarray(value)
    except ValueError as error:  # newer numpy refuses rows of different lengths; older returns an array of objects
        raise InputError("{}: the value can't be converted to an array: {}".format(where, error)) from None


def _misfit(array: np.ndarray, dtype: DType, is_python: bool) -> str:
    """Returns why `array` can't be converted to `dtype` without loss; "" if it can."""
    given = _kind(array)
    wanted = _kind_of(dtype)
    if given == "object" and wanted != "string" and not array.size:
        return "the placeholder has the type {}, got an empty array of Python objects".format(dtype.name)
    if given == "object" and wanted != "string":
        return "the placeholder has the type {}, got a Python object of type {}".format(
            dtype.name, type(array.ravel()[0]).__name__
        )
    if given == "object":
        return ""
    if given == wanted == "integer":
        limits = np.iinfo(dtype.as_numpy_dtype)
        if array.size and (array.min() < limits.min or array.max() > limits.max):
            worst = array.max() if array.max() > limits.max else array.min()
            return "{} is out of range for {}".format(worst, dtype.name)
        return ""
    if given == wanted or (is_python and (array.size == 0 or (given, wanted) == ("integer", "floating"))):
        return ""
    name = given if given == "string" else array.dtype.name
    reason = "the placeholder has the type {}, got {}".format(dtype.name, name)
    if "string" in (given, wanted):
        return reason
    return reason + "; convert it with .astype(np.{}) if this is intended".format(np.dtype(dtype.as_numpy_dtype).name)


def _kind(array: np.ndarray) -> str:
    if array.dtype.kind == "O":
        return "object"
    if array.dtype.kind in "SU":
        return "string"
    try:
        return _kind_of(tf.as_dtype(array.dtype))
    except TypeError:  # dates and records, for which TensorFlow has no type
        return array.dtype.name


def _kind_of(dtype: DType) -> str:
    for kind in ("bool", "integer", "floating", "complex"):
        if getattr(dtype, "is_" + kind):
            return kind
    return dtype.name


def _shape_text(shape: Any) -> str:
    if shape.ndims is None:
        return "any shape"
    dimensions = ["?" if dimension is None else str(dimension) for dimension in shape.as_list()]
    return "({}{})".format(", ".join(dimensions), "," if len(dimensions) == 1 else "")
