"""tf.contrib.data.Dataset of TensorFlow 1.2 and 1.3.

The methods also take the arguments of tf.data.Dataset of 1.15: a script that tries `from tensorflow.contrib.data import
Dataset` and falls back to tf.data gets this class here, but tf.data.Dataset on TensorFlow 1.15.
"""
from typing import Any, Callable, Optional

from legacy_towers.compat.tf1.contrib.private import datasets
from legacy_towers.compat.versions import tf

_new = tf.data.experimental


class Dataset(datasets.DatasetV1Adapter):
    """A tf.data.Dataset whose `map` takes `num_threads`, with methods `enumerate`, `unbatch`, `group_by_window` etc."""

    @staticmethod
    def from_tensors(tensors: Any) -> "Dataset":
        return Dataset(tf.data.Dataset.from_tensors(tensors))

    @staticmethod
    def from_tensor_slices(tensors: Any) -> "Dataset":
        return Dataset(tf.data.Dataset.from_tensor_slices(tensors))

    @staticmethod
    def from_sparse_tensor_slices(sparse_tensor: Any) -> "Dataset":
        return Dataset(tf.data.Dataset.from_sparse_tensor_slices(sparse_tensor))

    @staticmethod
    def from_generator(generator: Callable[[], Any], output_types: Any, output_shapes: Any = None) -> "Dataset":
        return Dataset(tf.data.Dataset.from_generator(generator, output_types, output_shapes))

    @staticmethod
    def range(*args: Any) -> "Dataset":
        return Dataset(tf.data.Dataset.range(*args))

    @staticmethod
    def zip(datasets: Any) -> "Dataset":
        return Dataset(tf.data.Dataset.zip(datasets))

    @staticmethod
    def list_files(file_pattern: Any, shuffle: Any = False, seed: Any = None) -> "Dataset":
        return Dataset(tf.data.Dataset.list_files(file_pattern, shuffle, seed))

    @staticmethod
    def read_batch_features(
        file_pattern: Any,
        batch_size: Any,
        features: Any,
        reader: Any,
        reader_args: Any = None,
        randomize_input: bool = True,
        num_epochs: Optional[int] = None,
        capacity: int = 10000,
    ) -> Any:
        from legacy_towers.compat.tf1.contrib.data import transformations

        return transformations.read_batch_features(
            file_pattern, batch_size, features, reader, reader_args, randomize_input, num_epochs, capacity
        )

    def map(
        self,
        map_func: Callable[..., Any],
        num_threads: Optional[int] = None,
        output_buffer_size: Any = None,
        num_parallel_calls: Any = None,
    ) -> "Dataset":
        """Maps `map_func` over the elements.

        Args:
          map_func: takes and returns nested structures of tensors.
          num_threads: the number of parallel calls, as in TensorFlow 1.2.
          output_buffer_size: the number of results to prefetch, as in TensorFlow 1.2.
          num_parallel_calls: as in tf.data.Dataset.map.
        """
        mapped = super().map(map_func, num_parallel_calls=num_parallel_calls or num_threads)
        return Dataset(mapped.prefetch(output_buffer_size) if output_buffer_size is not None else mapped)

    def flat_map(self, map_func: Callable[..., Any]) -> "Dataset":
        return Dataset(super().flat_map(map_func))

    def interleave(
        self,
        map_func: Callable[..., Any],
        cycle_length: Any = None,
        block_length: Any = 1,
        num_parallel_calls: Any = None,
    ) -> "Dataset":
        return Dataset(super().interleave(map_func, cycle_length, block_length, num_parallel_calls))

    def filter(self, predicate: Callable[..., Any]) -> "Dataset":
        return Dataset(super().filter(predicate))

    def batch(self, batch_size: Any, drop_remainder: Any = False) -> "Dataset":
        return Dataset(super().batch(batch_size, drop_remainder))

    def padded_batch(
        self, batch_size: Any, padded_shapes: Any, padding_values: Any = None, drop_remainder: Any = False
    ) -> "Dataset":
        return Dataset(super().padded_batch(batch_size, padded_shapes, padding_values, drop_remainder))

    def shuffle(self, buffer_size: Any, seed: Any = None, reshuffle_each_iteration: Any = None) -> "Dataset":
        return Dataset(super().shuffle(buffer_size, seed, reshuffle_each_iteration))

    def repeat(self, count: Any = None) -> "Dataset":
        return Dataset(super().repeat(count))

    def take(self, count: Any) -> "Dataset":
        return Dataset(super().take(count))

    def skip(self, count: Any) -> "Dataset":
        return Dataset(super().skip(count))

    def shard(self, num_shards: Any, index: Any) -> "Dataset":
        return Dataset(super().shard(num_shards, index))

    def cache(self, filename: Any = "") -> "Dataset":
        return Dataset(super().cache(filename))

    def prefetch(self, buffer_size: Any) -> "Dataset":
        return Dataset(super().prefetch(buffer_size))

    def concatenate(self, dataset: Any) -> "Dataset":
        return Dataset(super().concatenate(dataset))

    def apply(self, transformation_func: Callable[[Any], Any]) -> "Dataset":
        return Dataset(super().apply(transformation_func))

    def _applied(self, transformation: Callable[[Any], Any]) -> "Dataset":
        # Transformations call methods that this class overrides: they need the plain dataset.
        return Dataset(transformation(datasets.adapted(self)))

    def enumerate(self, start: Any = 0) -> "Dataset":
        return self._applied(_new.enumerate_dataset(start))

    def unbatch(self) -> "Dataset":
        return self._applied(_new.unbatch())

    def ignore_errors(self) -> "Dataset":
        return self._applied(_new.ignore_errors())

    def dense_to_sparse_batch(self, batch_size: Any, row_shape: Any) -> "Dataset":
        return self._applied(_new.dense_to_sparse_batch(batch_size, row_shape))

    def group_by_window(
        self,
        key_func: Callable[..., Any],
        reduce_func: Callable[..., Any],
        window_size: Any = None,
        window_size_func: Any = None,
    ) -> "Dataset":
        return self._applied(_new.group_by_window(key_func, reduce_func, window_size, window_size_func))

    def make_initializable_iterator(self, shared_name: Optional[str] = None) -> Any:
        return tf.data.make_initializable_iterator(self, shared_name)

    def make_one_shot_iterator(self) -> Any:
        return tf.data.make_one_shot_iterator(self)


class TFRecordDataset(Dataset):
    """Reads the records of TFRecord files."""

    def __init__(self, filenames: Any, compression_type: Any = None, buffer_size: Any = None) -> None:
        super().__init__(tf.data.TFRecordDataset(filenames, compression_type, buffer_size))


class TextLineDataset(Dataset):
    """Reads the lines of text files."""

    def __init__(self, filenames: Any, compression_type: Any = None, buffer_size: Any = None) -> None:
        super().__init__(tf.data.TextLineDataset(filenames, compression_type, buffer_size))


class FixedLengthRecordDataset(Dataset):
    """Reads records of a fixed length."""

    def __init__(
        self,
        filenames: Any,
        record_bytes: Any,
        header_bytes: Any = None,
        footer_bytes: Any = None,
        buffer_size: Any = None,
    ) -> None:
        super().__init__(
            tf.data.FixedLengthRecordDataset(filenames, record_bytes, header_bytes, footer_bytes, buffer_size)
        )
