"""The readers of TensorFlow 1 as datasets of (key, record), with the keys that the readers give."""
import os
from typing import Any, Callable, Dict, NamedTuple, Optional, Sequence, Tuple

from legacy_towers.compat import tf
from legacy_towers.compat.versions.data import lmdb_dataset, scan
from legacy_towers.migrate.conversion.plans import Refused
from legacy_towers.tensor_types import Dataset, Operation, Tensor

# A TFRecord has 8 bytes of length and 4 of checksum before its data, and 4 after them.
_BYTES_AROUND_RECORD = 16


class Records(NamedTuple):
    """How one reader reads a file.

    Attributes:
      name: the dataset, such as "TFRecordDataset(file)".
      of_file: a function that takes a file name, and returns the dataset of its records.
      key: a function that takes the file name, the number of a record and the bytes before it, and returns its key.
      with_keys: a function that takes a file name, and returns the dataset of (key, record) of a file that has keys.
    """

    name: str
    of_file: Callable[[Tensor], Dataset]
    key: Callable[[Tensor, Tensor, Tensor], Tensor]
    with_keys: Optional[Callable[[Tensor], Dataset]] = None

    def keyed(self, path: Tensor) -> Dataset:
        """Returns the dataset of (key, record) of a file."""
        if self.with_keys is not None:
            return self.with_keys(path)

        def with_position(state: Any, record: Tensor) -> Tuple[Any, Any]:
            number, offset = state
            length = tf.cast(tf.strings.length(record), tf.int64) + _BYTES_AROUND_RECORD
            return (number + 1, offset + length), (self.key(path, number, offset), record)

        start = (tf.constant(0, tf.int64), tf.constant(0, tf.int64))
        return scan(self.of_file(path), start, tf.autograph.experimental.do_not_convert(with_position))


def records_of(reader: Operation, paths: Optional[Sequence[bytes]] = None) -> Records:
    """Returns how the reader that an operation makes reads a file.

    Args:
      reader: the operation.
      paths: the names of all files that it reads; None: they are not known before the run.

    Raises:
      Refused: tf.data has no such reader.
    """
    kind = reader.type[:-len("V2")] if reader.type.endswith("V2") else reader.type
    if kind not in _READERS:
        raise Refused("tf.data has no {}".format(kind), reader)
    return _READERS[kind](reader, paths)


def _joined(path: Tensor, number: Tensor) -> Tensor:
    return tf.strings.join([path, tf.strings.as_string(number)], ":")


def _tfrecord(reader: Operation, paths: Any) -> Records:
    compression = tf.compat.as_str(reader.get_attr("compression_type"))
    shown = ', compression_type="{}"'.format(compression) if compression else ""
    return Records(
        "TFRecordDataset(file{})".format(shown),
        lambda path: tf.data.TFRecordDataset(path, compression),
        lambda path, number, offset: _joined(path, offset),
    )


def _text_line(reader: Operation, paths: Any) -> Records:
    skipped = reader.get_attr("skip_header_lines")
    return Records(
        "TextLineDataset(file){}".format(".skip({})".format(skipped) if skipped else ""),
        lambda path: tf.data.TextLineDataset(path).skip(skipped),
        lambda path, number, offset: _joined(path, number + 1 + skipped),
    )


def _fixed_length(reader: Operation, paths: Optional[Sequence[bytes]]) -> Records:
    sizes = [reader.get_attr(name) for name in ("record_bytes", "header_bytes", "footer_bytes")]
    encoding = tf.compat.as_str(reader.get_attr("encoding")) if reader.type.endswith("V2") else ""
    encoding = "" if encoding == "none" else encoding
    if reader.get_attr("hop_bytes") not in (0, sizes[0]):
        raise Refused("its records overlap or have gaps (hop_bytes), which tf.data can't read", reader)
    has_whole_records = bool(encoding) or (paths is not None and all(_is_whole(path, *sizes) for path in paths))

    def of_file(path: Tensor) -> Dataset:
        record, header, footer = sizes
        if not has_whole_records:
            # The reader leaves out an incomplete last record, for which the dataset has an error.
            length = tf.cast(tf.strings.length(tf.io.read_file(path)), tf.int64)
            footer += tf.math.floormod(tf.maximum(length - header - footer, 0), record)
        return tf.data.FixedLengthRecordDataset(
            path, record, header, footer, **({"compression_type": encoding} if encoding else {})
        )

    return Records(
        "FixedLengthRecordDataset(file, {}, header_bytes={}, footer_bytes={}{})".format(
            *sizes + ["" if has_whole_records else " + incomplete record"]
        ),
        of_file,
        lambda path, number, offset: _joined(path, number),
    )


def _is_whole(path: bytes, record: int, header: int, footer: int) -> bool:
    """Returns whether a file ends with a complete record; also if it can't be read, since the dataset names it then."""
    try:
        size = os.path.getsize(path)
    except OSError:
        return True
    return size >= header + footer and (size - header - footer) % record == 0


def _whole_file(reader: Operation, paths: Any) -> Records:
    return Records(
        "from_tensors(tf.read_file(file))",
        lambda path: tf.data.Dataset.from_tensors(path).map(tf.io.read_file),
        lambda path, number, offset: path,
    )


def _identity(reader: Operation, paths: Any) -> Records:
    return Records("from_tensors(file)", tf.data.Dataset.from_tensors, lambda path, number, offset: path)


def _lmdb(reader: Operation, paths: Any) -> Records:
    if lmdb_dataset("") is None:
        raise Refused("TensorFlow 2 does not read LMDB: write its records to TFRecord files", reader)
    return Records(
        "LMDBDataset(file)",
        lambda path: lmdb_dataset(path).map(lambda key, value: value),
        lambda path, number, offset: path,
        lmdb_dataset,
    )


_READERS: Dict[str, Callable[[Operation, Optional[Sequence[bytes]]], Records]] = {
    "FixedLengthRecordReader": _fixed_length,
    "IdentityReader": _identity,
    "LMDBReader": _lmdb,
    "TFRecordReader": _tfrecord,
    "TextLineReader": _text_line,
    "WholeFileReader": _whole_file,
}
