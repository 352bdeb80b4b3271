"""Skips records that can't be read or parsed, and counts them.

    files -> records and damaged parts, in Python -> parsed once, in a session of its own -> the good records

The other records keep their ids. A file is checked in the first epoch; as long as its size and time of change stay as
they are, later epochs leave out what was found then.
"""
import threading
from typing import Any, Callable, Dict, FrozenSet, Iterator, List, NamedTuple, Optional, Tuple

import numpy as np

from legacy_towers.compat import tf
from legacy_towers.compat.versions.data import dataset_from_generator
from legacy_towers.data.parsing import parse_and_map
from legacy_towers.data.record_check import RecordCheck
from legacy_towers.data.sources import Raw, Source
from legacy_towers.errors import ArgumentError, RecordError
from legacy_towers.tensor_types import Dataset, Tensor

_CHUNK = 256  # records that are parsed at a time


class SkippedRecord(NamedTuple):
    """A record that was skipped.

    Attributes:
      id: its id, as `Examples.with_ids` has it.
      place: its file and its place there, such as "data/a.tfrecords, record 7 (byte 4,096)".
      problem: why it was skipped.
      lost_bytes: the bytes up to the next record that can be read; 0 if the record was read, and can't be parsed.
    """

    id: int
    place: str
    problem: str
    lost_bytes: int


class SkippedRecords:
    """What was skipped so far: `examples.skipped`. All epochs, readers and sessions count a record once.

    Attributes:
      limit: how many records may be skipped.
      error: the error that ended the data, since more records had to be skipped; None without one.
    """

    def __init__(self, limit: int) -> None:
        self.limit = limit
        self.error: Optional[RecordError] = None
        self._found: Dict[int, SkippedRecord] = {}
        self._lock = threading.Lock()

    @property
    def records(self) -> List[SkippedRecord]:
        """The records, in the order of their ids."""
        with self._lock:
            return [self._found[key] for key in sorted(self._found)]

    @property
    def count(self) -> int:
        """The number of records."""
        return len(self._found)

    @property
    def lost_bytes(self) -> int:
        """The bytes that could not be read."""
        return sum(record.lost_bytes for record in self.records)

    def add(self, record: SkippedRecord) -> None:
        """Counts a record.

        Raises:
          RecordError: there are more than `limit`.
        """
        with self._lock:
            self._found[record.id] = record
            count = len(self._found)
            if count <= self.limit:
                return
            self.error = RecordError("{}: {}; this is bad record number {:,}, and at most {:,} may be skipped".format(
                record.place, record.problem, count, self.limit
            ))
        raise self.error

    def __str__(self) -> str:
        """Returns one sentence, such as "skipped 2 bad records: a.tfrecords, record 7 (byte 4,096): ..."."""
        records = self.records
        if not records:
            return "skipped no records"
        named = ["{}: {}".format(record.place, record.problem) for record in records[:3]]
        more = len(records) - len(named)
        lost = self.lost_bytes
        return "skipped {:,} bad record{}{}: {}{}".format(
            len(records), "" if len(records) == 1 else "s", " ({:,} bytes lost)".format(lost) if lost else "",
            "; ".join(named), "; and {:,} more".format(more) if more else "",
        )


class SkippingSource(Source):
    """A source without the records that can't be read or parsed."""

    def __init__(self, source: Source, maps: Tuple[Callable[[Any], Any], ...], skipped: SkippedRecords) -> None:
        if source.record_dtype is None:
            raise ArgumentError("{} has no single records that could be skipped: leave the bad ones out of what it "
                                "yields".format(source.describe()))
        self._source = source
        self._maps = maps
        self.skipped = skipped
        self.paths = source.paths
        self.record_dtype = source.record_dtype
        self._check = RecordCheck(source.record_dtype, self._parser)
        self._count: Optional[int] = None
        # By file: size and time of change when it was read as a whole, and the ids that were skipped.
        self._checked: Dict[int, Tuple[Any, FrozenSet[int]]] = {}

    def describe(self) -> str:
        return self._source.describe()

    def known_count(self) -> Optional[int]:
        return None  # how many are left is known when all have been read

    def count(self) -> int:
        if self._count is None:
            self._count = sum(1 for _ in self.ids())
        return self._count

    def shuffle_buffer(self, requested: int) -> int:
        return self._source.shuffle_buffer(requested)

    def records(self, shuffle_files: bool, seed: Any) -> Dataset:
        return self._pairs(shuffle_files, seed).map(
            tf.autograph.experimental.do_not_convert(lambda record_id, record: record)
        )

    def is_empty(self) -> Tensor:
        # By the count: a bad record that is read once more would be counted twice.
        return tf.constant(self.count() == 0)

    def queue_readers(
        self, readers: int, shuffle: bool, seed: Optional[int], epochs: Optional[int]
    ) -> List[Callable[[], Any]]:
        return self._from_iterator(self.records(shuffle, seed), readers, epochs)

    def parser(self, in_variables: bool = False) -> Callable[..., Any]:
        return self._source.parser(in_variables)

    def records_with_ids(self, shuffle_files: bool, seed: Any) -> Dataset:
        return self._pairs(shuffle_files, seed)

    def queue_readers_with_ids(
        self, readers: int, shuffle: bool, seed: Optional[int], epochs: Optional[int]
    ) -> List[Callable[[], Any]]:
        return self._from_iterator(self._pairs(shuffle, seed), readers, epochs)

    def ids(self) -> Iterator[int]:
        for index in range(self.number_of_files()):
            for ids, _ in self._chunks(index):
                for each in ids:
                    yield int(each)

    def name_of(self, example_id: int) -> str:
        return self._source.name_of(example_id)

    def number_of_files(self) -> int:
        return self._source.number_of_files()

    def read_file(self, index: int) -> Iterator[Raw]:
        return self._source.read_file(index)

    def place_of(self, record: Raw) -> str:
        return self._source.place_of(record)

    def check_file_shards(self) -> None:
        raise ArgumentError(
            "examples that skip bad records can't be sharded by file: which records are good is known only after all "
            "are read"
        )

    def with_read_buffer(self, size: int) -> Source:
        return SkippingSource(self._source.with_read_buffer(size), self._maps, self.skipped)

    def checked_map(self, function: Callable[[Any], Any]) -> Source:
        return SkippingSource(self._source, self._maps + (function,), self.skipped)

    def _parser(self) -> Callable[..., Any]:
        return parse_and_map(self._source.parser(), self._maps)

    def _from_iterator(self, records: Dataset, readers: int, epochs: Optional[int]) -> List[Callable[[], Any]]:
        iterator = tf.data.make_initializable_iterator(records.repeat(epochs))
        # The initializers of this collection run in each new session, before queue runners start.
        tf.add_to_collection(tf.GraphKeys.TABLE_INITIALIZERS, iterator.initializer)
        return [iterator.get_next] * readers

    def _pairs(self, shuffle_files: bool, seed: Any) -> Dataset:
        """Returns a dataset of (id, record)."""
        number = self.number_of_files()
        files = tf.data.Dataset.range(number)
        if shuffle_files and number > 1:
            files = files.shuffle(number, seed=seed)
        specs = [tf.TensorSpec([None], tf.int64), tf.TensorSpec([None], self.record_dtype)]
        chunks = files.flat_map(tf.autograph.experimental.do_not_convert(
            lambda index: dataset_from_generator(self._chunks, specs, [index])
        ))
        return chunks.flat_map(tf.autograph.experimental.do_not_convert(
            lambda ids, records: tf.data.Dataset.from_tensor_slices((ids, records))
        ))

    def _chunks(self, index: Any) -> Iterator[Tuple[np.ndarray, np.ndarray]]:
        """Yields the ids and values of the good records of a file, some at a time."""
        index = int(index)
        path = self.paths[index] if len(self.paths) == self.number_of_files() else None
        state = _state_of(path)
        known = self._checked.get(index, (None, None))
        skipped: List[int] = []
        chunk: List[Raw] = []
        try:
            for record in self._source.read_file(index):
                chunk.append(record)
                if len(chunk) == _CHUNK:
                    yield self._good(chunk, known[1] if known[0] == state else None, skipped)
                    chunk = []
            if chunk:
                yield self._good(chunk, known[1] if known[0] == state else None, skipped)
        except (OSError, tf.errors.OpError) as error:
            problem = RecordError("{} can't be read: {}".format(path or self.describe(), error))
            self.skipped.error = problem
            raise problem from error
        self._checked[index] = (state, frozenset(skipped))
        self._check.close()

    def _good(
        self, chunk: List[Raw], known: Optional[FrozenSet[int]], skipped: List[int]
    ) -> Tuple[np.ndarray, np.ndarray]:
        readable = [record for record in chunk if not record.problem]
        if known is not None:
            problems = {record.id: "known" for record in chunk if record.id in known}
        else:
            problems = {record.id: record.problem for record in chunk if record.problem}
            reasons = self._check.problems([record.value for record in readable]) if readable else []
            problems.update((record.id, reason) for record, reason in zip(readable, reasons) if reason)
            for record in chunk:
                if record.id in problems:
                    self.skipped.add(SkippedRecord(
                        record.id, self.place_of(record), problems[record.id], record.lost_bytes
                    ))
        skipped.extend(problems)
        good = [record for record in readable if record.id not in problems]
        dtype = self.record_dtype.as_numpy_dtype
        return np.array([record.id for record in good], np.int64), np.array([record.value for record in good], dtype)


def _state_of(path: Optional[str]) -> Any:
    if path is None:
        return ()
    stat = tf.io.gfile.stat(path)
    return stat.length, stat.mtime_nsec
