"""Examples that are one file each, such as images."""
import copy
import functools
from typing import Any, Callable, Iterator, List, Optional

from legacy_towers.compat import tf
from legacy_towers.data import files as files_
from legacy_towers.data.file_shards import shards_by_offset, span_of
from legacy_towers.data.moving_shards import MovingShard
from legacy_towers.data.sources import IndexSource, Raw, Source
from legacy_towers.errors import ArgumentError, InputError
from legacy_towers.tensor_types import Dataset


class WholeFiles(MovingShard, IndexSource):
    """One example per file. A record is the index of a file.

    Indices are shuffled instead of contents, and files are read where they are parsed, several in parallel. (A
    WholeFileReader would read them one by one, and a shuffle buffer would hold thousands of files.)
    """

    def __init__(self, files: files_.Files, parse: Callable[[Any, Any], Any]) -> None:
        self._paths = files_.find_files(files)
        self.paths = self._paths
        self._folder = files_.shared_folder(self._paths)
        empty = files_.empty_files(self._paths)
        if empty:
            raise InputError("empty files: {}; each file is an example, so leave these out".format(
                files_.name_some(empty)
            ))
        self._parse = parse
        self._rows = range(len(self._paths))

    def describe(self) -> str:
        paths = self._paths[self._rows.start:self._rows.stop]
        plural = "" if len(paths) == 1 else "s"
        return "{} whole file{} ({})".format(len(paths), plural, files_.name_some(paths))

    def count(self) -> int:
        return len(self._rows)

    def records(self, shuffle_files: bool, seed: Any) -> Dataset:
        if self._of_epoch is not None:
            return tf.data.Dataset.range(self._of_epoch[0], self._of_epoch[1])
        return tf.data.Dataset.range(self._rows.start, self._rows.stop)

    def ids(self) -> Iterator[int]:
        return iter(self._rows)

    def read_file(self, index: int) -> Iterator[Raw]:
        return (Raw(row, number, row) for number, row in enumerate(self._rows))

    def check_file_shards(self) -> None:
        if self._by_offset:
            raise ArgumentError("a file shard that moves can't be sharded by file again: {}".format(self.describe()))

    def file_shards(self, shards: int, move: bool = False) -> List[Source]:
        self.check_file_shards()
        return [self._limited_to(by_offset) for by_offset in shards_by_offset(len(self._rows), shards, move)]

    def _limited_to(self, by_offset: List[range]) -> Source:
        """Returns the source of consecutive files alone: of one shard, by the offset of the epoch."""
        shard = copy.copy(self)
        rows = [self._rows[each.start:each.stop] for each in by_offset]
        shard._rows = span_of(rows)
        shard._by_offset = rows if len(rows) > 1 else ()
        shard._whole_count = len(self._rows)
        shard.has_queue = False
        return shard

    def parser(self, in_variables: bool = False) -> Callable[..., Any]:
        paths = tf.constant(self._paths, name="paths")

        def example(index: Any) -> Any:
            path = tf.gather(paths, index)
            return self._parse(path, tf.io.read_file(path))

        return example

    def queue_readers_with_ids(
        self, readers: int, shuffle: bool, seed: Optional[int], epochs: Optional[int]
    ) -> List[Callable[[], Any]]:
        def with_id(read: Callable[[], Any]) -> Any:
            index = tf.cast(read(), tf.int64)
            return index, index

        return [functools.partial(with_id, read) for read in self.queue_readers(readers, shuffle, seed, epochs)]

    def name_of(self, example_id: int) -> str:
        return files_.without_folder(self._paths[example_id], self._folder)

    def place_of(self, record: Raw) -> str:
        return self._paths[record.id]
