"""Examples from numpy arrays."""
from typing import Any, Callable, Iterator, List, Optional

import numpy as np

from legacy_towers import structure
from legacy_towers.compat import tf
from legacy_towers.errors import InputError
from legacy_towers.examples.sources import Source


class Arrays(Source):
    """numpy arrays in memory, one row per example; a record is a row's index, and so is its id."""

    def __init__(self, arrays: Any) -> None:
        self.arrays = _as_arrays(arrays)
        lengths = []
        for path, array in structure.leaves(self.arrays):
            if array.ndim == 0:
                raise InputError("array {!r} is a single value: its first dimension must be the examples".format(path))
            lengths.append((path, len(array)))
        if len({length for _, length in lengths}) != 1:
            raise InputError("the arrays hold different numbers of examples: {}".format(
                ", ".join("{!r} has {}".format(path, length) for path, length in lengths) or "there is no array"
            ))
        if lengths[0][1] == 0:
            raise InputError("the arrays hold no examples: their first dimension is 0")

    def describe(self) -> str:
        names = [path for path, _ in structure.leaves(self.arrays) if path]
        return "arrays ({})".format(", ".join(names)) if names else "an array"

    def known_count(self) -> Optional[int]:
        return self.count()

    def count(self) -> int:
        return len(structure.leaves(self.arrays)[0][1])

    def shuffle_buffer(self, asked: int) -> int:
        return self.count()  # indices are so cheap that every shuffle is a full one

    def records(self, shuffle_files: bool, seed: Optional[int]) -> Any:
        return tf.data.Dataset.range(self.count())

    def queue_record(self, shuffle: bool, seed: Optional[int], epochs: Optional[int]) -> Any:
        return self.queue_records(1, shuffle, seed, epochs)[0]

    def queue_records(self, readers: int, shuffle: bool, seed: Optional[int], epochs: Optional[int]) -> List[Any]:
        queue = tf.train.range_input_producer(self.count(), num_epochs=epochs, shuffle=shuffle, seed=seed)
        return [queue.dequeue() for _ in range(readers)]

    def parser(self, in_variables: bool = False) -> Callable[..., Any]:
        tensors = structure.map_leaves(_tensor_of, self.arrays)
        if in_variables:
            tensors = structure.map_leaves(_local_variable, tensors)
        return lambda index: structure.map_leaves(lambda rows: tf.gather(rows, index), tensors)

    def numbered(self) -> Source:
        return _NumberedArrays(self)

    def ids(self) -> Iterator[int]:
        return iter(range(self.count()))

    def name_of(self, number: int) -> str:
        return "row {}".format(number)


class _NumberedArrays(Arrays):
    """Arrays and a column of their row numbers: still arrays, which are served without a graph."""

    def __init__(self, source: Arrays) -> None:
        super().__init__({"id": np.arange(source.count(), dtype=np.int64), "example": source.arrays})
        self._described = source.describe()

    def describe(self) -> str:
        return self._described


def _as_arrays(arrays: Any) -> Any:
    """Returns `arrays` with an array for each component; here a list is data, its rows."""
    if isinstance(arrays, dict):
        return {key: _as_arrays(part) for key, part in arrays.items()}
    if isinstance(arrays, tuple):
        parts = [_as_arrays(part) for part in arrays]
        return type(arrays)(*parts) if hasattr(arrays, "_fields") else tuple(parts)
    return _as_array(arrays)


def _as_array(rows: Any) -> np.ndarray:
    array = np.asarray(rows)
    # Strings are bytes in every way in, as TensorFlow gives them back.
    if array.dtype.kind == "U":
        return np.char.encode(array, "utf-8").astype(object)
    # What a Python function gives is taken as if its bytes were in this machine's order: MNIST's files are big-endian.
    return array if array.dtype.isnative else array.astype(array.dtype.newbyteorder("="))


def _local_variable(value: Any) -> Any:
    return tf.Variable(value, trainable=False, collections=[tf.GraphKeys.LOCAL_VARIABLES], use_resource=True)


def _tensor_of(array: np.ndarray) -> Any:
    # By a Python function, which runs once: as constants the arrays would bloat the graph and each file that holds it.
    dtype = tf.string if array.dtype.kind in "OS" else tf.as_dtype(array.dtype)
    tensor = tf.numpy_function(lambda: array, [], dtype, name="array")
    tensor.set_shape(array.shape)
    return tensor
