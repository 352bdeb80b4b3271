"""The interface of sources of examples: records for tf.data and for queues, and a function that parses a record.

A *record* is cheap to shuffle and to shard: a serialized string, a row number of arrays, or an example of a generator.
Each record has an *id*, an integer that is the same in every input pipeline as long as the data does not change.
"""
from typing import Any, Callable, Iterator, List, NamedTuple, Optional, Sequence

import numpy as np

from legacy_towers.compat import tf
from legacy_towers.errors import ArgumentError
from legacy_towers.tensor_types import Dataset, Tensor

# Examples in the shuffle buffer of shuffle=True, if the source is not permuted as a whole. Large enough to mix a file
# whose examples are sorted; 30 MB for records of 3 KB.
DEFAULT_SHUFFLE_BUFFER = 10000


class Raw(NamedTuple):
    """A record as Python reads it.

    Attributes:
      id: its id.
      number: its number in its file, from 0.
      value: the record; None if it can't be read.
      problem: why it can't be read; "" if it can.
      lost_bytes: the bytes that can't be read; 0 if it can.
    """

    id: int
    number: int
    value: Any
    problem: str = ""
    lost_bytes: int = 0


class Source:
    """The interface of sources, all of which are immutable.

    Attributes:
      can_be_sharded: whether all iterators over the data see the same records in the same order.
      has_queue: whether queues can read it.
      record_dtype: the dtype of a record that Python reads; None if it can't read single ones.
      paths: the files.
      skipped: what has been skipped, a `SkippedRecords`; None if nothing is skipped.
      log: of what is read, an `ItemLog`, where the position is what a caller's iterator reports; else None.
    """

    can_be_sharded = True
    has_queue = True
    record_dtype: Any = None
    paths: Sequence[str] = ()
    skipped: Any = None
    log: Any = None

    def describe(self) -> str:
        """Returns a short description for the plan."""
        raise NotImplementedError

    def known_count(self) -> Optional[int]:
        """Returns the number of examples if it is known without reading files, else None."""
        raise NotImplementedError

    def count(self) -> int:
        """Returns the number of examples; reads the files if necessary."""
        raise NotImplementedError

    def exact_count(self) -> Optional[int]:
        """Returns the number of records that an epoch has, whatever `count` the caller gave; None if unknown."""
        return self.count()

    def shuffle_buffer(self, requested: int) -> int:
        """Returns the size of the shuffle buffer in records, where `requested` are requested."""
        return requested

    def records(self, shuffle_files: bool, seed: Any) -> Dataset:
        """Returns a tf.data.Dataset of the records of one epoch, file by file.

        Args:
          shuffle_files: whether the files are shuffled.
          seed: of the shuffled order of the files: a number, an int64 scalar tensor, or None.
        """
        raise NotImplementedError

    def is_empty(self) -> Tensor:
        """Returns a bool scalar tensor: whether the data has no record; evaluated after the first of endless epochs."""
        records = self.records(False, None)
        return tf.equal(records.take(1).reduce(np.int64(0), lambda count, *_: count + 1), 0)

    def queue_readers(
        self, readers: int, shuffle: bool, seed: Optional[int], epochs: Optional[int]
    ) -> List[Callable[[], Any]]:
        """Returns several readers, which take files or rows from one queue: functions that create the operations that
        read a record, and return its tensors.

        The queues' runners are in the collection QUEUE_RUNNERS.
        """
        raise NotImplementedError

    def parser(self, in_variables: bool = False) -> Callable[..., Any]:
        """Returns a function from a record to an example; creates the tensors that it needs in the default graph.

        Args:
          in_variables: whether tensors that are computed once are held in local variables. A queue's graph, which runs
            the parse function in each step, needs that; a dataset captures tensors when its iterator is initialized.
        """
        raise NotImplementedError

    def with_read_buffer(self, size: int) -> "Source":
        """Returns this source with a read buffer of `size` bytes per file in tf.data.

        Raises:
          ArgumentError: the source is not made of record files.
        """
        raise ArgumentError("read_buffer_bytes={}: {} is not read from record files, so it has no read buffer".format(
            size, self.describe()
        ))

    def check_file_shards(self) -> None:
        """Raises ArgumentError unless the records are read from files that can be divided."""
        raise ArgumentError(
            "{} can't be sharded by file: only TFRecord, fixed-length, text, CSV and whole files can".format(
                self.describe()
            )
        )

    def file_shards(self, shards: int, move: bool = False) -> "List[Source]":
        """Returns the sources of several shards of consecutive records, of files of their own as far as possible.

        All shards together have each record once, under its id; their sizes differ by one record at most. Queues can't
        read them.

        Args:
          move: whether the borders move a little with each epoch, so that all shards have equally many records over
            all epochs. `of_epoch` returns the shard of an epoch; the shard itself has the records of all epochs.

        Raises:
          ArgumentError: see `check_file_shards`.
          InputError: a file is damaged, so that its records can't be counted.
        """
        self.check_file_shards()
        raise NotImplementedError

    def logged(self, whole_epochs: bool) -> "Source":
        """Returns this source, with a `log` of its own if its iterators report their position.

        Args:
          whole_epochs: whether each epoch is always read from its beginning.
        """
        return self

    def of_epoch(self, epoch: Tensor) -> "Source":
        """Returns the source of an epoch, an int64 scalar tensor, if it depends on it, or its `log` records it."""
        return self

    def records_with_ids(self, shuffle_files: bool, seed: Any) -> Dataset:
        """Returns the dataset of `records` as pairs (id, record); an id is an int64 scalar."""
        raise NotImplementedError

    def queue_readers_with_ids(
        self, readers: int, shuffle: bool, seed: Optional[int], epochs: Optional[int]
    ) -> List[Callable[[], Any]]:
        """Returns the readers of `queue_readers`, for pairs (id, record)."""
        raise NotImplementedError

    def ids(self) -> Iterator[int]:
        """Yields the ids of one epoch in order; reads the files if necessary."""
        raise NotImplementedError

    def name_of(self, example_id: int) -> str:
        """Returns a description of the record with this id, such as "train-3.tfrecords, byte 4096"."""
        raise NotImplementedError

    def number_of_files(self) -> int:
        """Returns how many files `read_file` can read; data that is not in files of records counts as one."""
        return 1

    def read_file(self, index: int) -> Iterator[Raw]:
        """Yields the records of a file in order, in Python, damaged ones included; only with a `record_dtype`.

        Raises:
          OSError, tf.errors.OpError: the file can't be opened.
        """
        raise NotImplementedError

    def place_of(self, record: Raw) -> str:
        """Returns the file and the place of a record, such as "data/a.tfrecords, record 7 (byte 4,096)"."""
        return self.name_of(record.id)

    def parser_of_values(self, parser: Callable[..., Any]) -> Callable[..., Any]:
        """Returns a function that calls `parser`, which takes records, with the value of a `Raw` record."""
        return parser

    def checked_map(self, function: Callable[[Any], Any]) -> "Source":
        """Returns a source that skips a record also if `function`, which is mapped next, fails for it."""
        return self


class IndexSource(Source):
    """Base class of sources of known length. A record is the index of an example, which is its id too."""

    record_dtype = tf.int64

    def known_count(self) -> Optional[int]:
        return self.count()

    def read_file(self, index: int) -> Iterator[Raw]:
        return (Raw(row, row, row) for row in range(self.count()))

    def shuffle_buffer(self, requested: int) -> int:
        return self.count()  # indices need little memory: the shuffle is always complete

    def records(self, shuffle_files: bool, seed: Any) -> Dataset:
        return tf.data.Dataset.range(self.count())

    def records_with_ids(self, shuffle_files: bool, seed: Any) -> Dataset:
        pair = tf.autograph.experimental.do_not_convert(lambda index: (index, index))
        return self.records(shuffle_files, seed).map(pair)

    def queue_readers(
        self, readers: int, shuffle: bool, seed: Optional[int], epochs: Optional[int]
    ) -> List[Callable[[], Any]]:
        queue = tf.train.range_input_producer(self.count(), num_epochs=epochs, shuffle=shuffle, seed=seed)
        return [queue.dequeue] * readers

    def ids(self) -> Iterator[int]:
        return iter(range(self.count()))


def record_parts(record: Any) -> Any:
    """Returns the arguments of a parser for `record`: the parts of a tuple, or a tuple of the single tensor."""
    return record if isinstance(record, tuple) else (record,)
