"""What a source of examples is: it serves tf.data and queues with records, and says how a record is parsed.

A *record* is what is cheap to shuffle and to shard: a serialized string, an index into arrays, an example itself.

Each record has a number, its *id*: the same one by every way in, as long as the data stay the same.
"""
from typing import Any, Callable, Iterator, List, Optional

from legacy_towers.compat import tf
from legacy_towers.errors import ArgumentError, InputError

# How many examples shuffle=True holds back, where they are not simply all permuted: enough to mix what a file holds
# in order, and 30 MB for records of 3 KB.
DEFAULT_SHUFFLE_BUFFER = 10000


class Source:
    """The interface of the sources; all of them are immutable."""

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
        """Returns the tensor of one record (or a tuple of tensors), read from queues whose runners are registered in
        QUEUE_RUNNERS."""
        raise NotImplementedError

    def queue_records(self, readers: int, shuffle: bool, seed: Optional[int], epochs: Optional[int]) -> List[Any]:
        """Returns what `queue_record` does for each of several readers, which share the files or rows among them.

        Raises:
          InputError: this source has only one reader.
        """
        if readers == 1:
            return [self.queue_record(shuffle, seed, epochs)]
        raise InputError("{} can't be read by {} readers at once: leave join= out".format(self.describe(), readers))

    def parser(self, in_variables: bool = False) -> Callable[..., Any]:
        """Makes what parsing needs in the default graph; returns a function from a record to an example.

        Args:
          in_variables: keep what must be computed only once in local variables, for graphs that run the function's
            operations at each step; a dataset captures it when its iterator is initialized.
        """
        raise NotImplementedError

    def with_read_buffer(self, size: int) -> "Source":
        """Returns this source so that tf.data reads `size` bytes of a file at once.

        Raises:
          ArgumentError: it reads no files, or each as a whole.
        """
        raise ArgumentError("read_buffer_bytes={}: {} has no files that are read piece by piece".format(
            size, self.describe()
        ))

    def numbered(self) -> "Source":
        """Returns the source of the same records in the same order, whose examples are {"id", "example"}."""
        return Numbered(self)

    def numbered_records(self, shuffle_files: bool, seed: Optional[int]) -> Any:
        """Returns the dataset of `records`, each as (id, record); the id is an int64 scalar."""
        raise NotImplementedError

    def numbered_queue_record(self, shuffle: bool, seed: Optional[int], epochs: Optional[int]) -> Any:
        """Returns (id, record) of one record, as `queue_record` reads it."""
        raise NotImplementedError

    def numbered_queue_records(
        self, readers: int, shuffle: bool, seed: Optional[int], epochs: Optional[int]
    ) -> List[Any]:
        """Returns (id, record) for each of several readers, as `queue_records` does."""
        if readers == 1:
            return [self.numbered_queue_record(shuffle, seed, epochs)]
        raise InputError("{} can't be read by {} readers at once: leave join= out".format(self.describe(), readers))

    def ids(self) -> Iterator[int]:
        """Yields the ids of one epoch in order, reading what must be read."""
        raise NotImplementedError

    def name_of(self, number: int) -> str:
        """Returns what a person calls the record with this id."""
        raise NotImplementedError


class Numbered(Source):
    """A source whose examples are {"id": int64 scalar, "example": an example of `source`}."""

    def __init__(self, source: Source) -> None:
        self._source = source
        self.can_be_sharded = source.can_be_sharded
        self.has_queue = source.has_queue

    def describe(self) -> str:
        return self._source.describe()

    def known_count(self) -> Optional[int]:
        return self._source.known_count()

    def count(self) -> int:
        return self._source.count()

    def shuffle_buffer(self, asked: int) -> int:
        return self._source.shuffle_buffer(asked)

    def records(self, shuffle_files: bool, seed: Optional[int]) -> Any:
        return self._source.numbered_records(shuffle_files, seed)

    def queue_record(self, shuffle: bool, seed: Optional[int], epochs: Optional[int]) -> Any:
        return self._source.numbered_queue_record(shuffle, seed, epochs)

    def queue_records(self, readers: int, shuffle: bool, seed: Optional[int], epochs: Optional[int]) -> List[Any]:
        return self._source.numbered_queue_records(readers, shuffle, seed, epochs)

    def parser(self, in_variables: bool = False) -> Callable[..., Any]:
        parse = self._source.parser(in_variables)
        return lambda number, record: {"id": number, "example": parse(*parts_of(record))}

    def with_read_buffer(self, size: int) -> Source:
        return Numbered(self._source.with_read_buffer(size))

    def numbered_records(self, shuffle_files: bool, seed: Optional[int]) -> Any:
        twice = tf.autograph.experimental.do_not_convert(lambda number, record: (number, (number, record)))
        return self.records(shuffle_files, seed).map(twice)

    def numbered_queue_record(self, shuffle: bool, seed: Optional[int], epochs: Optional[int]) -> Any:
        number, record = self.queue_record(shuffle, seed, epochs)
        return number, (number, record)

    def ids(self) -> Iterator[int]:
        return self._source.ids()

    def name_of(self, number: int) -> str:
        return self._source.name_of(number)


def parts_of(record: Any) -> Any:
    """Returns the arguments of a parser for `record`: the parts of a tuple, or the one tensor."""
    return record if isinstance(record, tuple) else (record,)
