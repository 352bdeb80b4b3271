"""Where examples come from. Each source serves tf.data and queues with records, and says how a record is parsed.

A *record* is what is cheap to shuffle and to shard: a serialized string, an index into arrays, an example itself.
"""
from typing import Any, Callable, Optional

import numpy as np

from legacy_towers import structure
from legacy_towers.compat import tf
from legacy_towers.compat.data import dataset_from_generator
from legacy_towers.errors import InputError
from legacy_towers.examples import files as files_

# How many examples shuffle=True holds back, where they are not simply all permuted: enough to mix what a file holds
# in order, and 30 MB for records of 3 KB.
DEFAULT_SHUFFLE_BUFFER = 10000


class Source:
    """The interface of the sources below; all of them are immutable."""

    can_be_sharded = True  # whether two readers see the same records in the same order
    has_queue = True

    def describe(self) -> str:
        """Returns a few words for the plan."""
        raise NotImplementedError

    def known_count(self) -> Optional[int]:
        """Returns the number of examples if nothing must be read to know it, else None."""
        raise NotImplementedError

    def count(self) -> int:
        """Returns the number of examples, reading what must be read."""
        raise NotImplementedError

    def shuffle_buffer(self, asked: int) -> int:
        """Returns how many records are held back for shuffling, where `asked` was asked for."""
        return asked

    def records(self, shuffle_files: bool, seed: Optional[int]) -> Any:
        """Returns a tf.data.Dataset of records: one epoch, in order (files in a new order each epoch on request)."""
        raise NotImplementedError

    def queue_record(self, shuffle: bool, seed: Optional[int], epochs: Optional[int]) -> Any:
        """Returns the tensor of one record, read from queues whose runners are registered in QUEUE_RUNNERS."""
        raise NotImplementedError

    def parser(self, in_variables: bool = False) -> Callable[..., Any]:
        """Makes what parsing needs in the default graph; returns a function from a record to an example.

        Args:
          in_variables: keep what must be computed only once in local variables, for graphs that run the function's
            operations at each step; a dataset captures it when its iterator is initialized.
        """
        raise NotImplementedError


class RecordFiles(Source):
    """Files of TFRecords, or of records of one length in bytes (`record_bytes` given)."""

    def __init__(
        self,
        files: files_.Files,
        parse: Callable[[Any], Any],
        count: Optional[int],
        record_bytes: Optional[int] = None,
        header_bytes: int = 0,
        footer_bytes: int = 0,
    ):
        if record_bytes is not None:
            files_.check_bytes(record_bytes, header_bytes, footer_bytes)
        self._paths = files_.find_files(files)
        self._parse = parse
        self._bytes = None if record_bytes is None else (record_bytes, header_bytes, footer_bytes)
        if self._bytes is not None:
            counted = sum(files_.count_fixed_length(path, *self._bytes) for path in self._paths)
            count = counted if count is None else count
        self._count = count

    def describe(self) -> str:
        kind = "TFRecord" if self._bytes is None else "fixed-length record"
        plural = "s" if len(self._paths) > 1 else ""
        return "{} {} file{} ({})".format(len(self._paths), kind, plural, files_.name_some(self._paths))

    def known_count(self) -> Optional[int]:
        return self._count

    def count(self) -> int:
        if self._count is not None:
            return self._count
        return sum(files_.count_tfrecords(path) for path in self._paths)

    def records(self, shuffle_files: bool, seed: Optional[int]) -> Any:
        paths = tf.data.Dataset.from_tensor_slices(self._paths)
        if shuffle_files and len(self._paths) > 1:
            paths = paths.shuffle(len(self._paths), seed=seed)
        return paths.flat_map(tf.autograph.experimental.do_not_convert(self._records_of_file))

    def _records_of_file(self, path: Any) -> Any:
        if self._bytes is None:
            return tf.data.TFRecordDataset(path)
        return tf.data.FixedLengthRecordDataset(path, *self._bytes)

    def queue_record(self, shuffle: bool, seed: Optional[int], epochs: Optional[int]) -> Any:
        paths = tf.train.string_input_producer(self._paths, num_epochs=epochs, shuffle=shuffle, seed=seed)
        if self._bytes is None:
            return tf.TFRecordReader().read(paths).value
        return tf.FixedLengthRecordReader(*self._bytes).read(paths).value

    def parser(self, in_variables: bool = False) -> Callable[..., Any]:
        return self._parse


class Arrays(Source):
    """numpy arrays in memory, one row per example; a record is a row's index."""

    def __init__(self, arrays: Any):
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
        queue = tf.train.range_input_producer(self.count(), num_epochs=epochs, shuffle=shuffle, seed=seed)
        return queue.dequeue()

    def parser(self, in_variables: bool = False) -> Callable[..., Any]:
        tensors = structure.map_leaves(_tensor_of, self.arrays)
        if in_variables:
            tensors = structure.map_leaves(_local_variable, tensors)
        return lambda index: structure.map_leaves(lambda rows: tf.gather(rows, index), tensors)


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
    return np.char.encode(array, "utf-8").astype(object) if array.dtype.kind == "U" else array


def _local_variable(value: Any) -> Any:
    return tf.Variable(value, trainable=False, collections=[tf.GraphKeys.LOCAL_VARIABLES], use_resource=True)


def _tensor_of(array: np.ndarray) -> Any:
    # By a Python function, which runs once: as constants the arrays would bloat the graph and each file that holds it.
    dtype = tf.string if array.dtype.kind in "OS" else tf.as_dtype(array.dtype)
    tensor = tf.numpy_function(lambda: array, [], dtype, name="array")
    tensor.set_shape(array.shape)
    return tensor


class Generator(Source):
    """A callable that returns a fresh iterator of examples; a record is an example."""

    can_be_sharded = False
    has_queue = False

    def __init__(self, make_iterator: Callable[[], Any], spec: Any, count: Optional[int]):
        if not callable(make_iterator):
            raise InputError(
                "make_iterator must be a function that returns a fresh iterator for each epoch, not {}: "
                "an iterator can be read only once".format(type(make_iterator).__name__)
            )
        self._make_iterator = make_iterator
        self.spec = structure.lists_as_tuples(spec)
        self._count = count

    def describe(self) -> str:
        return "the generator {}".format(getattr(self._make_iterator, "__name__", type(self._make_iterator).__name__))

    def known_count(self) -> Optional[int]:
        return self._count

    def count(self) -> int:
        if self._count is None:
            raise InputError("nobody knows how many examples {} gives: pass count=".format(self.describe()))
        return self._count

    def flat_examples(self) -> Any:
        """Yields the leaves of one epoch's examples, each as an array of its spec's dtype."""
        specs = structure.leaves(self.spec)
        for number, example in enumerate(self._make_iterator()):
            values, wrong = structure.leaves_like(self.spec, example)
            arrays = []
            for (path, spec), value in zip(specs, values):
                array = np.asarray(value, dtype=spec.dtype.as_numpy_dtype)
                if not spec.shape.is_compatible_with(array.shape):
                    wrong = "component {!r} has shape {}, its spec says {}".format(path, array.shape, spec.shape)
                arrays.append(array)
            if wrong:
                raise InputError("example {} of {}: {}".format(number, self.describe(), wrong))
            yield tuple(arrays)

    def records(self, shuffle_files: bool, seed: Optional[int]) -> Any:
        specs = [spec for _, spec in structure.leaves(self.spec)]
        return dataset_from_generator(self.flat_examples, specs)

    def parser(self, in_variables: bool = False) -> Callable[..., Any]:
        return lambda *parts: structure.pack(self.spec, iter(parts))


