"""Sources whose examples have their ids with them: {"id": int64 scalar, "example": an example of another source}."""
import functools
from typing import Any, Callable, Iterator, List, Optional

import numpy as np

from legacy_towers.compat import tf
from legacy_towers.data.arrays import Arrays
from legacy_towers.data.sources import Raw, Source, record_parts
from legacy_towers.tensor_types import Dataset, Tensor


def with_ids(source: Source) -> Source:
    """Returns a source of the same records in the same order, whose examples are {"id": ..., "example": ...}."""
    return ArraysWithIds(source) if isinstance(source, Arrays) else WithIds(source)


class ArraysWithIds(Arrays):
    """Arrays with their row numbers as ids: still arrays, which are read without a graph."""

    def __init__(self, source: Arrays) -> None:
        super().__init__({"id": np.arange(source.count(), dtype=np.int64), "example": source.arrays})
        self._description = source.describe()

    def describe(self) -> str:
        return self._description


class WithIds(Source):
    """A source whose examples are {"id": int64 scalar, "example": an example of `source`}."""

    def __init__(self, source: Source) -> None:
        self.source = source
        self.can_be_sharded = source.can_be_sharded
        self.has_queue = source.has_queue
        self.record_dtype = source.record_dtype
        self.paths = source.paths
        self.skipped = source.skipped
        self.log = source.log

    def describe(self) -> str:
        return self.source.describe()

    def known_count(self) -> Optional[int]:
        return self.source.known_count()

    def count(self) -> int:
        return self.source.count()

    def exact_count(self) -> Optional[int]:
        return self.source.exact_count()

    def shuffle_buffer(self, requested: int) -> int:
        return self.source.shuffle_buffer(requested)

    def records(self, shuffle_files: bool, seed: Any) -> Dataset:
        return self.source.records_with_ids(shuffle_files, seed)

    def queue_readers(
        self, readers: int, shuffle: bool, seed: Optional[int], epochs: Optional[int]
    ) -> List[Callable[[], Any]]:
        return self.source.queue_readers_with_ids(readers, shuffle, seed, epochs)

    def parser(self, in_variables: bool = False) -> Callable[..., Any]:
        parse = self.source.parser(in_variables)
        return lambda record_id, record: {"id": record_id, "example": parse(*record_parts(record))}

    def with_read_buffer(self, size: int) -> Source:
        return WithIds(self.source.with_read_buffer(size))

    def check_file_shards(self) -> None:
        self.source.check_file_shards()

    def file_shards(self, shards: int, move: bool = False) -> List[Source]:
        return [WithIds(shard) for shard in self.source.file_shards(shards, move)]

    def logged(self, whole_epochs: bool) -> Source:
        return WithIds(self.source.logged(whole_epochs))

    def of_epoch(self, epoch: Tensor) -> Source:
        return WithIds(self.source.of_epoch(epoch))

    def is_empty(self) -> Tensor:
        return self.source.is_empty()

    def records_with_ids(self, shuffle_files: bool, seed: Any) -> Dataset:
        pair = tf.autograph.experimental.do_not_convert(lambda record_id, record: (record_id, (record_id, record)))
        return self.records(shuffle_files, seed).map(pair)

    def queue_readers_with_ids(
        self, readers: int, shuffle: bool, seed: Optional[int], epochs: Optional[int]
    ) -> List[Callable[[], Any]]:
        def with_id(read: Callable[[], Any]) -> Any:
            pair = read()
            return pair[0], pair

        return [functools.partial(with_id, read) for read in self.queue_readers(readers, shuffle, seed, epochs)]

    def ids(self) -> Iterator[int]:
        return self.source.ids()

    def name_of(self, example_id: int) -> str:
        return self.source.name_of(example_id)

    def number_of_files(self) -> int:
        return self.source.number_of_files()

    def read_file(self, index: int) -> Iterator[Raw]:
        return self.source.read_file(index)

    def place_of(self, record: Raw) -> str:
        return self.source.place_of(record)

    def parser_of_values(self, parser: Callable[..., Any]) -> Callable[..., Any]:
        return lambda value: parser(tf.constant(0, tf.int64), value)
