"""Examples from numpy arrays."""
from typing import Any, Callable

import numpy as np

from legacy_towers.compat import tf
from legacy_towers.data import structure
from legacy_towers.data.sources import IndexSource
from legacy_towers.errors import InputError


class Arrays(IndexSource):
    """numpy arrays in memory, one row per example. A record is the index of a row."""

    def __init__(self, arrays: Any) -> None:
        self.arrays = _as_arrays(arrays)
        lengths = []
        for path, array in structure.leaves(self.arrays):
            if array.ndim == 0:
                raise InputError("array {!r} is a single value: its first axis must be the examples".format(path))
            lengths.append((path, len(array)))
        if len({length for _, length in lengths}) != 1:
            raise InputError("the arrays hold different numbers of examples: {}".format(
                ", ".join("{!r} has {}".format(path, length) for path, length in lengths) or "no array is given"
            ))
        if lengths[0][1] == 0:
            raise InputError("the arrays hold no examples: their first dimension is 0")

    def describe(self) -> str:
        names = [path for path, _ in structure.leaves(self.arrays) if path]
        return "arrays ({})".format(", ".join(names)) if names else "an array"

    def count(self) -> int:
        return len(structure.leaves(self.arrays)[0][1])

    def parser(self, in_variables: bool = False) -> Callable[..., Any]:
        tensors = structure.map_leaves(_tensor_of, self.arrays)
        if in_variables:
            tensors = structure.map_leaves(_local_variable, tensors)
        return lambda index: structure.map_leaves(lambda rows: tf.gather(rows, index), tensors)

    def name_of(self, example_id: int) -> str:
        return "row {}".format(example_id)


def _as_arrays(arrays: Any) -> Any:
    """Returns `arrays` with a numpy array per component. A list is data here: its items are rows."""
    if isinstance(arrays, dict):
        return {key: _as_arrays(part) for key, part in arrays.items()}
    if isinstance(arrays, tuple):
        parts = [_as_arrays(part) for part in arrays]
        return type(arrays)(*parts) if hasattr(arrays, "_fields") else tuple(parts)
    return _as_array(arrays)


def _as_array(rows: Any) -> np.ndarray:
    array = np.asarray(rows)
    if array.dtype.kind not in "biufcSUOV" or (array.dtype.kind == "V" and array.dtype.names):
        raise InputError(
            "an array has the dtype {}, which TensorFlow does not have: convert it to numbers or strings".format(
                array.dtype
            )
        )
    if array.dtype.kind == "O":
        _check_strings(array)
    # Strings are bytes in every input pipeline, as TensorFlow returns them.
    if array.dtype.kind == "U":
        return np.char.encode(array, "utf-8").astype(object)
    # tf.numpy_function ignores the byte order of the array that it gets, and MNIST's files are big-endian.
    return array if array.dtype.isnative else array.astype(array.dtype.newbyteorder("="))


def _check_strings(array: np.ndarray) -> None:
    """Raises InputError unless an object array has nothing but strings."""
    for number, value in enumerate(array.ravel()):
        if not isinstance(value, (str, bytes)):
            raise InputError(
                "an array of Python objects has {} at position {}: an object array can have strings only; give it a "
                "dtype, as in array.astype(np.float32), or fill rows of different lengths up".format(
                    "an array" if isinstance(value, (np.ndarray, list)) else repr(value), number
                )
            )


def _local_variable(value: Any) -> Any:
    return tf.Variable(value, trainable=False, collections=[tf.GraphKeys.LOCAL_VARIABLES], use_resource=True)


def _tensor_of(array: np.ndarray) -> Any:
    # By a Python function, which runs once: as constants the arrays would be stored in the graph and in its files.
    dtype = tf.string if array.dtype.kind in "OS" else tf.as_dtype(array.dtype)
    tensor = tf.numpy_function(lambda: array, [], dtype, name="array")
    tensor.set_shape(array.shape)
    return tensor
