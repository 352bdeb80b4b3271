"""`Examples`: the data, said once. Every way in is derived from it; it knows nothing of towers."""
from typing import Any, Callable, Dict, Iterator, Optional, Sequence, Tuple, Union

from legacy_towers.compat import tf
from legacy_towers.errors import ArgumentError
from legacy_towers.examples import batches as batches_
from legacy_towers.examples.arrays import Arrays
from legacy_towers.examples.files import Files
from legacy_towers.examples.generators import Generator
from legacy_towers.examples.parsed import as_structure
from legacy_towers.examples.records import FixedLengthRecords, TFRecords
from legacy_towers.examples.sources import DEFAULT_SHUFFLE_BUFFER, Source, parts_of
from legacy_towers.examples.text_lines import CsvLines, TextLines
from legacy_towers.examples.whole_files import WholeFiles

__all__ = ["Examples"]

Shuffle = Union[bool, int]


def check_shuffle(shuffle: Any) -> None:
    """Raises ArgumentError unless `shuffle` is True, False or a positive number of examples."""
    if not isinstance(shuffle, bool) and (not isinstance(shuffle, int) or shuffle < 1):
        raise ArgumentError("shuffle must be True, False or a number of examples, not {!r}".format(shuffle))


class Examples:
    """Examples from files, arrays or a generator: an immutable value.

    Made by one of the `from_...` functions, which all take `shuffle` and `seed`:

    shuffle: True (hold back 10,000 examples to draw from; arrays are permuted as a whole), False (in order), or the
      number of examples to hold back. Each epoch has a new order.
    seed: makes the order repeatable where the way in can do so.

    An example is a structure of tensors: a dict or tuple, nested as you like, or one tensor alone.
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

    @classmethod
    def from_tfrecords(
        cls,
        files: Files,
        parse: Callable[[Any], Any],
        count: Optional[int] = None,
        shuffle: Shuffle = True,
        seed: Optional[int] = None,
    ) -> "Examples":
        """Returns the examples of uncompressed TFRecord files.

        Args:
          files: a path, a glob pattern, or an iterable of them; their order is the order of the examples.
          parse: a function from a serialized record (a string tensor of shape []) to an example: tensors of static
            shapes.
          count: how many examples there are in all; counted from the records' headers when it is asked for if None.

        Raises:
          InputError: a file is missing, or all are empty.
        """
        return cls(TFRecords(files, parse, count), shuffle=shuffle, seed=seed)

    @classmethod
    def from_fixed_length(
        cls,
        files: Files,
        record_bytes: int,
        parse: Callable[[Any], Any],
        header_bytes: int = 0,
        footer_bytes: int = 0,
        count: Optional[int] = None,
        shuffle: Shuffle = True,
        seed: Optional[int] = None,
    ) -> "Examples":
        """Returns the examples of files whose records all have `record_bytes` bytes, such as CIFAR-10's.

        Args:
          files, parse: as in `from_tfrecords`; parse gets `record_bytes` bytes.
          record_bytes, header_bytes, footer_bytes: sizes in bytes; header and footer stand once in each file.
          count: how many examples there are in all; known from the files' sizes if None.

        Raises:
          InputError: a file is missing, or its size is no whole number of records.
        """
        source = FixedLengthRecords(files, parse, count, record_bytes, header_bytes, footer_bytes)
        return cls(source, shuffle=shuffle, seed=seed)

    @classmethod
    def from_text_lines(
        cls,
        files: Files,
        parse: Callable[[Any], Any],
        skip_lines: int = 0,
        count: Optional[int] = None,
        shuffle: Shuffle = True,
        seed: Optional[int] = None,
    ) -> "Examples":
        """Returns the lines of text files as examples; empty lines are lines too.

        Args:
          files, count: as in `from_tfrecords`.
          parse: a function from a line (a string tensor of shape [], without the line break) to an example.
          skip_lines: how many lines at the beginning of each file are no examples.

        Raises:
          InputError: a file is missing, or all are empty or have no line to read.
        """
        return cls(TextLines(files, parse, count, skip_lines), shuffle=shuffle, seed=seed)

    @classmethod
    def from_csv(
        cls,
        files: Files,
        columns: Dict[str, Any],
        header: bool = True,
        delimiter: str = ",",
        count: Optional[int] = None,
        shuffle: Shuffle = True,
        seed: Optional[int] = None,
    ) -> "Examples":
        """Returns the lines of CSV files as examples: dicts of scalar tensors by the names of the columns.

        A field may stand in double quotes, but a line break ends a line even there. An empty line is an error.

        Args:
          files, count: as in `from_tfrecords`. Counting checks each line's number of fields, too.
          columns: name -> what an empty field means: 0.0 (float32), 0 (int32), "" or a numpy scalar; or a dtype of
            float32, float64, int32, int64 or string for a column that must not be empty.
          header: whether the first line of each file names its columns; then `columns` may be some of them, in any
            order. Without it, `columns` are those of the files, in order.
          delimiter: what stands between fields, one character.

        Raises:
          InputError: a file is missing or lacks a column; its first line has another number of fields; all are empty.
        """
        return cls(CsvLines(files, columns, header, delimiter, count), shuffle=shuffle, seed=seed)

    @classmethod
    def from_whole_files(
        cls,
        files: Files,
        parse: Callable[[Any, Any], Any],
        shuffle: Shuffle = True,
        seed: Optional[int] = None,
    ) -> "Examples":
        """Returns an example for each file, such as an image.

        Args:
          files: as in `from_tfrecords`.
          parse: a function from (path, contents), string tensors of shape [], to an example. The path may tell the
            class: `tf.strings.split([path], "/").values[-2]` is the folder.

        Raises:
          InputError: a file is missing or empty.
        """
        return cls(WholeFiles(files, parse), shuffle=shuffle, seed=seed)

    @classmethod
    def from_arrays(cls, arrays: Any, shuffle: Shuffle = True, seed: Optional[int] = None) -> "Examples":
        """Returns the rows of numpy arrays as examples. Don't change the arrays while they are in use.

        Args:
          arrays: an array of shape [examples, ...], or a dict or tuple of arrays with the same first dimension.

        Raises:
          InputError: the first dimensions differ, or are 0.
        """
        return cls(Arrays(arrays), shuffle=shuffle, seed=seed)

    @classmethod
    def from_generator(
        cls,
        make_iterator: Callable[[], Any],
        spec: Any,
        count: Optional[int] = None,
        shuffle: Shuffle = True,
        seed: Optional[int] = None,
    ) -> "Examples":
        """Returns the examples that Python code yields.

        Args:
          make_iterator: a function that returns a fresh iterator over one epoch's examples.
          spec: a structure of `tf.TensorSpec`: dtype and shape of each component of one example.
          count: how many examples an epoch has, if that is known.
        """
        return cls(Generator(make_iterator, spec, count), shuffle=shuffle, seed=seed)

    def map(self, function: Callable[[Any], Any]) -> "Examples":
        """Returns these examples with `function` applied: graph code from one example to one, such as augmentation."""
        return Examples(self._source, self._maps + (function,), self._shuffle, self._seed)

    def numbered(self) -> "Examples":
        """Returns these examples with their ids: {"id": int64 scalar, "example": what they are without}.

        The same example has the same id by every way in, in every epoch, and on each TensorFlow; the order is that of
        the examples without ids. An id is the row of arrays, the place of what a generator yields, the number of a
        whole file; in files of records it is the number of the file * 2**40 + the record's place: the line (from 1),
        the number of a fixed-length record (from 0), the byte where a TFRecord begins. `name_of` says it in words.
        """
        return Examples(self._source.numbered(), tuple(map(_below_the_id, self._maps)), self._shuffle, self._seed)

    def ids(self) -> Iterator[int]:
        """Yields the ids of one epoch in the order of the data, reading what must be read.

        Raises:
          InputError: a TFRecord file is damaged.
        """
        return self._source.ids()

    def with_read_buffer(self, size: int) -> "Examples":
        """Returns these examples so that tf.data reads `size` bytes of a file at once.

        Raises:
          ArgumentError: they are not read from files piece by piece.
        """
        return Examples(self._source.with_read_buffer(size), self._maps, self._shuffle, self._seed)

    def name_of(self, number: int) -> str:
        """Returns what the example with this id is called: "row 17", "train-3.tfrecords, byte 4096"."""
        return self._source.name_of(int(number))

    @property
    def shuffle(self) -> Shuffle:
        """Whether, or by how many examples, the order is mixed."""
        return self._shuffle

    @property
    def seed(self) -> Optional[int]:
        """The seed of the order."""
        return self._seed

    @property
    def source(self) -> Source:
        """Where the examples come from; ways in ask it what it can serve."""
        return self._source

    @property
    def arrays(self) -> Any:
        """The structure of numpy arrays whose rows are the examples; None where a graph reads or maps them."""
        return self._source.arrays if isinstance(self._source, Arrays) and not self._maps else None

    def describe(self) -> str:
        """Returns a few words on where the examples come from."""
        return self._source.describe()

    def known_count(self) -> Optional[int]:
        """Returns the number of examples in an epoch if that is known without reading files, else None."""
        return self._source.known_count()

    def count(self) -> int:
        """Returns the number of examples in an epoch. TFRecords and lines without a given count are read at each call.

        Raises:
          InputError: a file is damaged, or nobody can know (a generator without `count`).
        """
        return self._source.count()

    def __len__(self) -> int:
        return self.count()

    def __bool__(self) -> bool:
        return True  # not by len(), which may read files

    def __repr__(self) -> str:
        return "Examples({}, shuffle={}, seed={})".format(self.describe(), self._shuffle, self._seed)

    def shuffle_buffer(self, shuffle: Optional[Shuffle] = None) -> int:
        """Returns how many examples are held back for shuffling; 0 means in order.

        Args:
          shuffle: instead of what the examples were made with, unless None.
        """
        shuffle = self._shuffle if shuffle is None else shuffle
        if shuffle is False:
            return 0
        buffer = self._source.shuffle_buffer(DEFAULT_SHUFFLE_BUFFER if shuffle is True else shuffle)
        known = self.known_count()
        return buffer if known is None else max(1, min(buffer, known))

    def parser(self, in_variables: bool = False) -> Callable[..., Any]:
        """Returns a function from one of the source's records to an example; see `Source.parser`.

        The function takes the parts of a record as arguments, or one tuple of them. A list of tensors that a parse or
        map function returns becomes a tuple, in every way in: tf.data alone would stack it to one tensor.
        """
        parse = self._source.parser(in_variables)

        def example(*record: Any) -> Any:
            parsed = as_structure(parse(*(parts_of(record[0]) if len(record) == 1 else record)))
            for function in self._maps:
                parsed = as_structure(function(parsed))
            return parsed

        # A parse function means the same in a dataset as in a queue, where AutoGraph never rewrites it.
        return tf.autograph.experimental.do_not_convert(example)

    def dataset(
        self,
        shard: Optional[Sequence[int]] = None,
        shuffle: Optional[Shuffle] = None,
        epochs: Optional[int] = 1,
        parallel_calls: Optional[int] = None,
    ) -> Any:
        """Returns a tf.data.Dataset of single examples, for an initializable iterator.

        Args:
          shard: (number of shards, index): only each so-manieth example, chosen before shuffling.
          shuffle: as in the class, instead of what the examples were made with.
          epochs: None for ever.
          parallel_calls: examples parsed at a time, whose order stays; None lets TensorFlow choose.
        """
        records = self._records(shard, shuffle, epochs)
        return records.map(self.parser(), _calls(parallel_calls))

    def batched_dataset(
        self,
        batch_size: int,
        drop_remainder: bool = False,
        shard: Optional[Sequence[int]] = None,
        shuffle: Optional[Shuffle] = None,
        epochs: Optional[int] = 1,
        parallel_calls: Optional[int] = None,
    ) -> Any:
        """Returns what `dataset(...).batch(batch_size, drop_remainder)` gives, by fewer operations where that can be.

        The rows of arrays are taken a batch at a time: one by one, 64 of them cost 4 ms on TF 1.15.
        """
        if self.arrays is None:
            examples = self.dataset(shard, shuffle, epochs, parallel_calls)
            return examples.batch(batch_size, drop_remainder=drop_remainder)
        records = self._records(shard, shuffle, epochs).batch(batch_size, drop_remainder=drop_remainder)
        return records.map(self.parser(), _calls(parallel_calls))

    def _records(self, shard: Optional[Sequence[int]], shuffle: Optional[Shuffle], epochs: Optional[int]) -> Any:
        buffer = self.shuffle_buffer(shuffle)
        # Readers that each shuffle the files would not agree on which example is whose.
        dataset = self._source.records(bool(buffer) and shard is None, self._seed)
        if shard is not None:
            dataset = dataset.shard(*shard)
        if buffer:
            dataset = dataset.shuffle(buffer, seed=self._seed)
        if epochs != 1:
            dataset = dataset.repeat(epochs)
        return dataset

    def spec(self) -> Any:
        """Returns a structure of tf.TensorSpec (or sparse or ragged specs): dtypes and shapes of one example."""
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

        Args:
          batch_size: examples per batch; a batch may reach over the end of an epoch.
          epochs: None for ever.
          shuffle: as in the class, instead of what the examples were made with.
          drop_remainder: leave the last batch out where it would be short.
        """
        buffer = self.shuffle_buffer(shuffle)
        if self.arrays is not None:
            rows = batches_.index_batches(
                self._source.count(), batch_size, epochs, bool(buffer), self._seed, drop_remainder
            )
            for row in rows:
                yield batches_.take_rows(self.arrays, row)
            return
        with tf.Graph().as_default() as graph, tf.device("/cpu:0"):
            dataset = self.dataset(shuffle=shuffle, epochs=epochs)
            dataset = dataset.batch(batch_size, drop_remainder=drop_remainder).prefetch(2)
            iterator = tf.data.make_initializable_iterator(dataset)
            batch = iterator.get_next()
        # The graph is no longer the default one here: a generator that yields must leave no context open.
        for values in batches_.session_batches(graph, iterator.initializer, batch):
            yield values


def _calls(parallel_calls: Optional[int]) -> int:
    return int(tf.data.experimental.AUTOTUNE) if parallel_calls is None else parallel_calls


def _below_the_id(function: Callable[[Any], Any]) -> Callable[[Any], Any]:
    return lambda numbered: {"id": numbered["id"], "example": function(numbered["example"])}
