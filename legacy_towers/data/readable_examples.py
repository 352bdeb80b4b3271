"""How a set of examples is described, counted and read: by datasets and as numpy batches, whatever its source."""
from typing import Any, Callable, Iterator, Optional, Sequence, Tuple, Union

from legacy_towers.compat import tf
from legacy_towers.data import batches as batches_
from legacy_towers.data.arrays import Arrays
from legacy_towers.data.file_shards import first_of_shard
from legacy_towers.data.parsing import needs_seeds, parse_and_map
from legacy_towers.data.skipping import SkippedRecords
from legacy_towers.data.sources import DEFAULT_SHUFFLE_BUFFER, Source
from legacy_towers.data.start import ENDLESS, Start, epoch_seed, start_of
from legacy_towers.errors import ArgumentError
from legacy_towers.tensor_types import Dataset

Shuffle = Union[bool, int]


def check_shuffle(shuffle: Any) -> None:
    """Raises ArgumentError unless `shuffle` is True, False or a positive number of examples."""
    if not isinstance(shuffle, bool) and (not isinstance(shuffle, int) or shuffle < 1):
        raise ArgumentError("shuffle must be True, False or a number of examples, got {!r}".format(shuffle))


class ReadableExamples:
    """A source, the functions mapped over it, and an order. The base of `ExampleSet`, which adds what makes new sets.

    It is immutable.
    """

    def __init__(
        self,
        source: Source,
        maps: Tuple[Callable[[Any], Any], ...] = (),
        shuffle: Shuffle = True,
        seed: Optional[int] = None,
    ) -> None:
        check_shuffle(shuffle)
        self._source = source
        self._maps = tuple(maps)
        self._shuffle = shuffle
        self._seed = seed

    @property
    def shuffle(self) -> Shuffle:
        """True, False, or the number of examples in the shuffle buffer."""
        return self._shuffle

    @property
    def seed(self) -> Optional[int]:
        """The seed of the shuffled order; None for another order in each run."""
        return self._seed

    @property
    def source(self) -> Source:
        """The source of the examples. Input pipelines read its capabilities, such as `can_be_sharded`."""
        return self._source

    @property
    def arrays(self) -> Any:
        """The structure of numpy arrays whose rows are the examples; None if a graph reads or maps the examples."""
        return self._source.arrays if isinstance(self._source, Arrays) and not self._maps else None

    @property
    def needs_seeds(self) -> bool:
        """Whether a function that is mapped over the examples takes a seed."""
        return needs_seeds(self._maps)

    @property
    def skipped(self) -> Optional[SkippedRecords]:
        """What was skipped so far; None without `skip_bad_records`."""
        skipped: Optional[SkippedRecords] = self._source.skipped
        return skipped

    def describe(self) -> str:
        """Returns a short description of the source, such as "2 TFRecord files (a.tfrecords, b.tfrecords)"."""
        return self._source.describe()

    def name_of(self, example_id: int) -> str:
        """Returns a description of the example with this id: "row 17" or "train-3.tfrecords, byte 4096"."""
        return self._source.name_of(int(example_id))

    def ids(self) -> Iterator[int]:
        """Yields the ids of one epoch in the order of the data. Reads TFRecord and CSV files to find them.

        Raises:
          InputError: a TFRecord file is damaged, or a CSV line has the wrong number of fields.
        """
        return self._source.ids()

    def known_count(self) -> Optional[int]:
        """Returns the number of examples in an epoch if it is known without reading files, else None."""
        return self._source.known_count()

    def count(self) -> int:
        """Returns the number of examples in an epoch; `len(examples)` is the same.

        TFRecord and line files are read once, and again if their size changes, unless `count` was passed to the
        constructor.

        Raises:
          InputError: a file is damaged, or the source is a generator without `count`.
        """
        return self._source.count()

    def epoch_length(self) -> Optional[int]:
        """Returns the number of examples of an epoch, given or counted; None for a generator without `count`."""
        known = self.known_count()
        return self._source.exact_count() if known is None else known

    def __len__(self) -> int:
        return self.count()

    def __bool__(self) -> bool:
        return True  # instead of len(), which may read files

    def __repr__(self) -> str:
        return "{}({}, shuffle={}, seed={})".format(type(self).__name__, self.describe(), self._shuffle, self._seed)

    def shuffle_buffer(self, shuffle: Optional[Shuffle] = None) -> int:
        """Returns the size of the shuffle buffer in examples; 0 for no shuffling."""
        shuffle = self._shuffle if shuffle is None else shuffle
        if shuffle is False:
            return 0
        buffer = self._source.shuffle_buffer(DEFAULT_SHUFFLE_BUFFER if shuffle is True else shuffle)
        known = self.known_count()
        return buffer if known is None else max(1, min(buffer, known))

    def parser(self, in_variables: bool = False) -> Callable[..., Any]:
        """Returns a function from one of the source's records to an example, with all maps applied.

        The function takes the parts of a record as arguments, or one tuple of them; where the examples need seeds, a
        seed and the record. A list of tensors returned by a parse or map function becomes a tuple in every input
        pipeline; tf.data alone would stack it to one tensor.
        """
        return parse_and_map(self._source.parser(in_variables), self._maps)

    def dataset(
        self,
        shard: Optional[Sequence[int]] = None,
        shuffle: Optional[Shuffle] = None,
        epochs: Optional[int] = 1,
        parallel_calls: Optional[int] = None,
        start: Optional[Start] = None,
    ) -> Dataset:
        """Returns a tf.data.Dataset of single examples, to be read by an initializable iterator.

            with tf.Graph().as_default(), tf.Session() as session:
                iterator = tf.data.make_initializable_iterator(examples.dataset())
                example = iterator.get_next()
                session.run(iterator.initializer)
                print(session.run(example))

        Args:
          shard: (number of shards N, index k): keeps the examples k, k + N, k + 2 * N, ..., before shuffling. They are
            counted on from epoch to epoch, so that all shards end an epoch together: an example is not in the same
            shard in each epoch, unless N divides the number of examples, which is counted for this.
          shuffle: overrides the examples' own `shuffle` unless None.
          epochs: how often the data is repeated; None repeats it indefinitely.
          parallel_calls: number of examples parsed in parallel, in a fixed order; None lets TensorFlow choose.
          start: where reading begins, and the seed; None: at the beginning, with the examples' own seed.
        """
        records = self._records(shard, shuffle, epochs, start)
        return records.map(self.parser(), _calls(parallel_calls))

    def batched_dataset(
        self,
        batch_size: int,
        drop_remainder: bool = False,
        shard: Optional[Sequence[int]] = None,
        shuffle: Optional[Shuffle] = None,
        epochs: Optional[int] = 1,
        parallel_calls: Optional[int] = None,
        start: Optional[Start] = None,
    ) -> Dataset:
        """Returns the elements of `dataset(...).batch(batch_size, drop_remainder)`, by fewer operations for arrays.

        Rows of arrays are gathered a batch at a time: gathered one by one, 64 of them take 4 ms on TF 1.15.

        Args:
          shard, shuffle, epochs, parallel_calls, start: as in `dataset`.
        """
        if self.arrays is None:
            examples = self.dataset(shard, shuffle, epochs, parallel_calls, start)
            return examples.batch(batch_size, drop_remainder=drop_remainder)
        records = self._records(shard, shuffle, epochs, start).batch(batch_size, drop_remainder=drop_remainder)
        return records.map(self.parser(), _calls(parallel_calls))

    def spec(self) -> Any:
        """Returns the structure of one example: a tf.TensorSpec, SparseTensorSpec or RaggedTensorSpec per component."""
        with tf.Graph().as_default(), tf.device("/cpu:0"):
            return self.dataset().element_spec

    def numpy_batches(
        self,
        batch_size: int,
        epochs: Optional[int] = 1,
        shuffle: Optional[Shuffle] = None,
        drop_remainder: bool = False,
    ) -> Iterator[Any]:
        """Yields batches as structures of numpy arrays of shape [batch_size, ...].

            for batch in examples.numpy_batches(32):
                print(batch["image"].shape)

        Files are read in a graph and session of their own, which are closed when the iterator ends or is closed.

        Args:
          batch_size: examples per batch; a batch may span two epochs.
          epochs: how often the data is repeated; None repeats it indefinitely.
          shuffle: overrides the examples' own `shuffle` unless None.
          drop_remainder: whether a last batch of fewer examples is dropped.
        """
        buffer = self.shuffle_buffer(shuffle)
        if self.arrays is not None:
            rows = batches_.index_batches(
                self._source.count(), batch_size, epochs, bool(buffer), self._seed, drop_remainder
            )
            for row in rows:
                yield batches_.take_rows(self.arrays, row)
            return
        for (batch,) in batches_.StepGraph(self, 1, batch_size, epochs, shuffle, drop_remainder).steps():
            yield batch

    def _records(
        self,
        shard: Optional[Sequence[int]],
        shuffle: Optional[Shuffle],
        epochs: Optional[int],
        start: Optional[Start],
    ) -> Dataset:
        """Returns the records of all epochs; what `start` skips is shuffled, but never parsed."""
        buffer = self.shuffle_buffer(shuffle)
        start = start_of(self._seed) if start is None else start
        length = self.epoch_length() if shard is not None and epochs != 1 else None

        def of_epoch(epoch: Any) -> Dataset:
            # The order depends on the seed alone, not on that of the graph, which this graph of a function inherits.
            tf.set_random_seed(None)
            seed = epoch_seed(start.seed, epoch) if buffer or self.needs_seeds else None
            source = self._source.of_epoch(epoch)
            read = source.records_with_ids if self.needs_seeds else source.records
            # Each shard has its own reader: were the files shuffled first, the shards would overlap.
            dataset = read(bool(buffer) and shard is None, seed)
            if shard is not None:
                offset = epoch * length if length is not None and length % shard[0] else 0
                dataset = dataset.shard(shard[0], first_of_shard(shard[1], shard[0], offset))
            if buffer:
                dataset = dataset.shuffle(buffer, seed=seed, reshuffle_each_iteration=False)
            return dataset.map(tf.autograph.experimental.do_not_convert(
                lambda number, record: (tf.stack([seed, number]), record)
            )) if self.needs_seeds else dataset

        of_epoch = tf.autograph.experimental.do_not_convert(of_epoch)
        if epochs is not None:
            return tf.data.Dataset.range(start.epoch, epochs).flat_map(of_epoch).skip(start.skip)
        first = tf.data.Dataset.range(start.epoch, start.epoch + 1)
        later = first.flat_map(tf.autograph.experimental.do_not_convert(
            lambda epoch: tf.data.Dataset.range(epoch + 1, self._end_of_epochs(epoch)).flat_map(of_epoch)
        ))
        return first.flat_map(of_epoch).concatenate(later).skip(start.skip)

    def _end_of_epochs(self, epoch: Any) -> Any:
        """Returns where endless epochs end, after the epoch number `epoch`: there, if the data is empty.

        Without it a run over nothing would look for the first example for ever.
        """
        return tf.where_v2(self._source.is_empty(), epoch + 1, tf.constant(ENDLESS, tf.int64))


def _calls(parallel_calls: Optional[int]) -> int:
    return int(tf.data.experimental.AUTOTUNE) if parallel_calls is None else parallel_calls
