"""New sets of examples made from another one: mapped, limited, sharded, with ids, without bad records."""
from typing import Any, Callable, List, Optional, TypeVar

from legacy_towers.data.first_records import first_records
from legacy_towers.data.parsing import SeededMap, before_seeds
from legacy_towers.data.readable_examples import ReadableExamples
from legacy_towers.data.skipping import SkippedRecords, SkippingSource
from legacy_towers.data.with_ids import with_ids
from legacy_towers.errors import ArgumentError

Self = TypeVar("Self", bound="ExampleSet")


class ExampleSet(ReadableExamples):
    """The base of `Examples`, which adds the constructors. Each method returns a new set; this one does not change."""

    def map(self: Self, function: Callable[..., Any], with_seed: bool = False) -> Self:
        """Returns these examples with `function` applied to each, such as a normalization or an augmentation.

            scaled = examples.map(lambda example: dict(example, image=example["image"] / 255.0))

            def augmented(example, seed):
                noise = tf.random.stateless_normal([28, 28], seed)
                return dict(example, image=example["image"] + noise)

            examples = scaled.map(augmented, with_seed=True)

        Args:
          function: builds the graph from one example, a structure of tensors without a batch axis, to another one.
          with_seed: whether the function takes a seed too, an int64 tensor of shape [2] for `tf.random.stateless_...`.
            It is a function of the seed of the order, the epoch and the id of the example: a run that resumes draws the
            same numbers, without computing what it skips. Queues can't read such examples.
        """
        # Whether a record is bad does not depend on a seed.
        source = self._source if with_seed or self.needs_seeds else self._source.checked_map(function)
        added: Callable[..., Any] = SeededMap(function) if with_seed else function
        return type(self)(source, self._maps + (added,), self._shuffle, self._seed)

    def skip_bad_records(self: Self, limit: int) -> Self:
        """Returns these examples without records that can't be read or parsed; `skipped` counts and names them.

            examples = lt.Examples.from_tfrecords("data/*.tfrecords", parse).skip_bad_records(100)

        Records with a damaged checksum, and records for which the parse function or a function mapped to them fails,
        are left out; the ids of the others do not change. Where the length of a TFRecord is damaged, the next record
        begins at the next byte where its checksums match; `skipped` counts this as one record, and the bytes
        between. Records are read in Python, and in the first epoch each is parsed twice. `count` reads and parses all.

        Args:
          limit: how many records may be skipped, counted once over all epochs. One more is an error, which names it.

        Raises:
          ArgumentError: limit is not a whole number of at least 1, or the examples come from a generator.
        """
        if isinstance(limit, bool) or not isinstance(limit, int) or limit < 1:
            raise ArgumentError("limit must be a whole number of at least 1, got {!r}".format(limit))
        if self.skipped is not None:
            raise ArgumentError("these examples skip up to {} bad records already".format(self.skipped.limit))
        source = SkippingSource(self._source, before_seeds(self._maps), SkippedRecords(limit))
        return type(self)(source, self._maps, self._shuffle, self._seed)

    def take(self: Self, count: int) -> Self:
        """Returns the first `count` examples, or all if there are fewer.

        Records of files and generators are read when they are first needed, and held in memory. The maps are still
        applied each time.

        Raises:
          ArgumentError: count is below 1.
        """
        if isinstance(count, bool) or not isinstance(count, int) or count < 1:
            raise ArgumentError("take: a number of examples of at least 1 is needed, got {!r}".format(count))
        return type(self)(first_records(self._source, count), self._maps, self._shuffle, self._seed)

    def file_shards(self: Self, shards: int, move: bool = False) -> List[Self]:
        """Returns the examples in several shards of consecutive ones; most files belong to one shard as a whole.

            3 files a a a a  b b b b  c c c c       3 shards   [a a a a] [b b b b] [c c c c]
            2 files a a a a a a  b b                3 shards   [a a a] [a a a] [b b]

        All shards together have each example once, with its id, and their sizes differ by one example at most. A file
        at a border is read for both shards, the second of which skips its first records without parsing them. To find
        the borders, the records of each file are counted once: of uncompressed TFRecord files the headers are read, of
        fixed-length records nothing, of other files all.

        Args:
          shards: how many shards, at least 1.
          move: whether the borders move a little with each epoch of `dataset`, so that shards of different sizes have
            equally many examples over all epochs, and end them together. Else they are the same in each epoch.

        Raises:
          ArgumentError: `shards` is not a whole number of at least 1, or the examples are not read from files, skip bad
            records, or are limited by `take`.
          InputError: a file is damaged.
        """
        if isinstance(shards, bool) or not isinstance(shards, int) or shards < 1:
            raise ArgumentError("file_shards: a number of shards of at least 1 is needed, got {!r}".format(shards))
        return [
            type(self)(source, self._maps, self._shuffle, self._seed)
            for source in self._source.file_shards(shards, move)
        ]

    def with_ids(self: Self) -> Self:
        """Returns these examples with their ids: {"id": int64 scalar, "example": the example without its id}.

        An example has the same id in every input pipeline, in every epoch and with every TensorFlow version. The order
        of the examples does not change. `name_of` describes an id.

            source                id
            arrays                row
            generator             position in the epoch, from 0
            whole files           index of the file
            TFRecords             index of the file * 2**40 + byte at which the record begins
            fixed-length records  index of the file * 2**40 + index of the record, from 0
            text and CSV lines    index of the file * 2**40 + number of the line, from 1
        """
        maps = tuple(map(_applied_beside_id, self._maps))
        return type(self)(with_ids(self._source), maps, self._shuffle, self._seed)

    def with_seed(self: Self, seed: Optional[int]) -> Self:
        """Returns these examples with another seed of their order, or without one (None)."""
        return type(self)(self._source, self._maps, self._shuffle, seed)

    def logged(self: Self, whole_epochs: bool) -> Self:
        """Returns these examples with a log of what is read, if their iterators report their position."""
        return type(self)(self._source.logged(whole_epochs), self._maps, self._shuffle, self._seed)

    def with_read_buffer(self: Self, size: int) -> Self:
        """Returns these examples with a read buffer of `size` bytes per file in tf.data.

        Raises:
          ArgumentError: the source is not made of record files.
        """
        return type(self)(self._source.with_read_buffer(size), self._maps, self._shuffle, self._seed)


def _applied_beside_id(function: Callable[..., Any]) -> Callable[..., Any]:
    def applied(pair: Any, *seed: Any) -> Any:
        return {"id": pair["id"], "example": function(pair["example"], *seed)}

    return SeededMap(applied) if isinstance(function, SeededMap) else applied
