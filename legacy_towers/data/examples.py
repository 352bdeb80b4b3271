"""`Examples`: the data, defined once, from files, arrays or a generator. It knows nothing of towers."""
from typing import Any, Callable, Dict, Optional

from legacy_towers.data.arrays import Arrays
from legacy_towers.data.example_set import ExampleSet
from legacy_towers.data.files import Files
from legacy_towers.data.fixed_length_records import FixedLengthRecords
from legacy_towers.data.generators import Generator
from legacy_towers.data.readable_examples import Shuffle
from legacy_towers.data.text_lines import CsvLines, TextLines
from legacy_towers.data.tfrecords import TFRecords
from legacy_towers.data.whole_files import WholeFiles


class Examples(ExampleSet):
    """Examples from files, arrays or a generator: an immutable value, from which every input pipeline is built.

    Create one with a `from_...` constructor and pass it to an input pipeline, or to a `Job`:

        examples = lt.Examples.from_arrays({"image": images, "label": labels}, seed=1)
        inputs = lt.inputs.dataset(examples, per_tower_batch_size=32)

    An example is a structure of tensors without a batch axis: a dict or tuple, nested as you like, or a single tensor.

    All constructors take `shuffle` and `seed`:

    shuffle: True, False, or the size of the shuffle buffer in examples. True shuffles with a buffer of 10,000 examples;
      arrays and whole files are permuted completely. False keeps the order of the data. Each epoch has a new order.
    seed: makes the shuffled order reproducible, as far as the input pipeline allows it: see `lt.inputs.queue`.
    """

    @classmethod
    def from_tfrecords(
        cls,
        files: Files,
        parse: Callable[[Any], Any],
        count: Optional[int] = None,
        shuffle: Shuffle = True,
        seed: Optional[int] = None,
        compression: str = "",
    ) -> "Examples":
        """Creates examples from TFRecord files.

            def parse(record):
                return tf.parse_single_example(record, {"x": tf.FixedLenFeature([3], tf.float32)})

            examples = lt.Examples.from_tfrecords("data/train-*.tfrecords", parse)

        Args:
          files: a path, a glob pattern, or an iterable of them. The order of the files is the order of the examples;
            the matches of a pattern are sorted.
          parse: a function from a serialized record, a string tensor of shape [], to an example of tensors with static
            shapes.
          count: the number of examples in all files. If it is None and needed, the record headers are read to count.
          shuffle, seed: see `Examples`.
          compression: "", "GZIP" or "ZLIB", of all files. A compressed file is read once before training, to check that
            it is complete.

        Raises:
          ArgumentError: there is no such compression.
          InputError: a file is missing, or all files are empty. When they are first read: a file ends inside a record.
        """
        return cls(TFRecords(files, parse, count, compression), shuffle=shuffle, seed=seed)

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
        """Creates examples from files of records of equal length, such as those of CIFAR-10.

        Args:
          files: see `from_tfrecords`.
          record_bytes: size of a record in bytes.
          parse: a function from a record, a string tensor of shape [] with `record_bytes` bytes, to an example.
          header_bytes, footer_bytes: bytes to skip at the beginning and at the end of each file.
          count: the number of examples in all files; None computes it from the file sizes.
          shuffle, seed: see `Examples`.

        Raises:
          ArgumentError: a size is negative, or record_bytes is 0.
          InputError: a file is missing, or its size is not a multiple of record_bytes, header and footer aside.
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
        """Creates an example from each line of text files, empty lines included.

        Args:
          files, count: see `from_tfrecords`.
          parse: a function from a line, a string tensor of shape [] without the line break, to an example.
          skip_lines: number of lines to skip at the beginning of each file.
          shuffle, seed: see `Examples`.

        Raises:
          ArgumentError: skip_lines is not a whole number of at least 0.
          InputError: a file is missing, all files are empty, or no file has a line after the skipped ones.
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
        """Creates an example from each line of CSV files: a dict of scalar tensors, one per column.

            examples = lt.Examples.from_csv("houses.csv", {"rooms": tf.int32, "area": 0.0, "city": ""})

        A field may be enclosed in double quotes, but a line break ends a line even inside them. Empty lines are errors.

        Args:
          files, count: see `from_tfrecords`. Counting also checks the number of fields of each line.
          columns: column name -> the value of an empty field: 0.0 (float32), 0 (int32), "" (string) or a numpy scalar
            (float32, float64, int32, int64); or, for a column whose fields must not be empty, only its dtype.
          header: whether the first line of each file holds the column names. If so, `columns` may name some of them, in
            any order; if not, `columns` names all columns of the files, in their order.
          delimiter: the character between two fields.
          shuffle, seed: see `Examples`.

        Raises:
          ArgumentError: a column has another dtype, no column is named, or delimiter is not one character.
          InputError: a file is missing or lacks a column, its first line of data has the wrong number of fields, or all
            files are empty.
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
        """Creates an example from each file, such as an image.

            def parse(path, contents):
                folder = tf.strings.split([path], "/").values[-2]  # the class: "images/cat/1.jpg" -> "cat"
                return {"image": tf.image.decode_jpeg(contents), "is_cat": tf.equal(folder, "cat")}

            examples = lt.Examples.from_whole_files("images/*/*.jpg", parse)

        Args:
          files: see `from_tfrecords`.
          parse: a function from (path, contents), string tensors of shape [], to an example.
          shuffle, seed: see `Examples`.

        Raises:
          InputError: a file is missing or empty.
        """
        return cls(WholeFiles(files, parse), shuffle=shuffle, seed=seed)

    @classmethod
    def from_arrays(cls, arrays: Any, shuffle: Shuffle = True, seed: Optional[int] = None) -> "Examples":
        """Creates an example from each row of numpy arrays. Don't change the arrays while they are in use.

            examples = lt.Examples.from_arrays({"image": images, "label": labels})   # [n, 28, 28] and [n]

        Args:
          arrays: an array of shape [examples, ...], or a dict or tuple of arrays with the same first dimension.
          shuffle, seed: see `Examples`.

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
        resumable: bool = False,
    ) -> "Examples":
        """Creates examples from what a Python generator yields. Queues and the route "sharded" can't read them.

            def squares():
                for x in range(100):
                    yield {"x": x, "y": x * x}

            scalar = tf.TensorSpec([], tf.float32)
            examples = lt.Examples.from_generator(squares, {"x": scalar, "y": scalar}, count=100)

        Args:
          make_iterator: a function that returns a new iterator over the examples of one epoch.
          spec: a structure of `tf.TensorSpec`: dtype and shape of each component of an example.
          count: the number of examples in an epoch, if it is known.
          shuffle, seed: see `Examples`.
          resumable: whether the iterators report their position. If so, each of them, or the object that it iterates
            over, has a method `state_dict()`, which returns the position before the next example as plain values
            (numbers, strings, lists, dicts), and `load_state_dict(state)`, which goes there. A run that resumes then
            reads the example that was used last once more, compares it with what was read before, and goes on after it;
            with shuffling, it begins with the epoch. Without `resumable` it runs the generator from its first epoch on,
            and leaves out what was used.

        Raises:
          InputError: make_iterator is not a function. While it is read: an example does not fit `spec`; the message
            names the example and the component. An iterator lacks a method, its state is not plain, or the run that
            resumes gets other examples.
        """
        return cls(Generator(make_iterator, spec, count, resumable), shuffle=shuffle, seed=seed)
