"""Examples from files of many records: TFRecords, records of one length, lines of text.

The id of a record is its file's number * 2**40 + its place in the file: the byte where a TFRecord begins, the number of
a fixed-length record (from 0), or the number of a line (from 1, as editors count). The readers of queues say the same
places in their keys, "path:place". A file that is named twice has one number: its records are there twice.
"""
import copy
from typing import Any, Callable, Iterator, List, Optional

from legacy_towers.compat import tf
from legacy_towers.compat.data import scan
from legacy_towers.examples import files as files_
from legacy_towers.examples.sources import Source

PLACES = 2 ** 40  # ids of one file: bytes of a terabyte, or as many lines


class RecordFiles(Source):
    """The base of the sources below."""

    kind = ""  # of records, for the plan
    place = ""  # what a place in a file is called
    _read_buffer: Optional[int] = None  # bytes; None leaves it to TensorFlow

    def __init__(self, files: files_.Files, parse: Callable[[Any], Any], count: Optional[int]) -> None:
        self._paths = files_.find_files(files)
        self._folder = files_.shared_folder(self._paths)
        self._parse = parse
        self._count = count

    def describe(self) -> str:
        plural = "s" if len(self._paths) > 1 else ""
        return "{} {} file{} ({})".format(len(self._paths), self.kind, plural, files_.name_some(self._paths))

    def known_count(self) -> Optional[int]:
        return self._count

    def count(self) -> int:
        if self._count is not None:
            return self._count
        return sum(self._count_file(path) for path in self._paths)

    def records(self, shuffle_files: bool, seed: Optional[int]) -> Any:
        paths = tf.data.Dataset.from_tensor_slices(self._paths)
        if shuffle_files and len(self._paths) > 1:
            paths = paths.shuffle(len(self._paths), seed=seed)
        return paths.flat_map(tf.autograph.experimental.do_not_convert(self._file_dataset))

    def with_read_buffer(self, size: int) -> Source:
        buffered = copy.copy(self)
        buffered._read_buffer = size
        return buffered

    def queue_record(self, shuffle: bool, seed: Optional[int], epochs: Optional[int]) -> Any:
        return self.queue_records(1, shuffle, seed, epochs)[0]

    def queue_records(self, readers: int, shuffle: bool, seed: Optional[int], epochs: Optional[int]) -> List[Any]:
        return [read.value for read in self._reads(readers, shuffle, seed, epochs)]

    def parser(self, in_variables: bool = False) -> Callable[..., Any]:
        return self._parse

    def numbered_records(self, shuffle_files: bool, seed: Optional[int]) -> Any:
        firsts = [number * PLACES for number in self._numbers()]
        files = tf.data.Dataset.zip((
            tf.data.Dataset.from_tensor_slices(tf.constant(firsts, tf.int64)),
            tf.data.Dataset.from_tensor_slices(self._paths),
        ))
        if shuffle_files and len(self._paths) > 1:
            files = files.shuffle(len(self._paths), seed=seed)
        return files.flat_map(tf.autograph.experimental.do_not_convert(self._numbered_file_dataset))

    def numbered_queue_record(self, shuffle: bool, seed: Optional[int], epochs: Optional[int]) -> Any:
        return self.numbered_queue_records(1, shuffle, seed, epochs)[0]

    def numbered_queue_records(
        self, readers: int, shuffle: bool, seed: Optional[int], epochs: Optional[int]
    ) -> List[Any]:
        return [self._numbered_read(read) for read in self._reads(readers, shuffle, seed, epochs)]

    def _numbered_read(self, read: Any) -> Any:
        path = tf.strings.regex_replace(read.key, r":\d+$", "")
        place = tf.strings.to_number(tf.strings.regex_replace(read.key, r"(?s)^.*:", ""), tf.int64)
        number = tf.argmax(tf.cast(tf.equal(tf.constant(self._paths), path), tf.int32), output_type=tf.int64)
        return number * PLACES + place, read.value

    def ids(self) -> Iterator[int]:
        for number, path in zip(self._numbers(), self._paths):
            for place in self._places(path):
                yield number * PLACES + place

    def name_of(self, number: int) -> str:
        file_number, place = divmod(number, PLACES)
        return "{}, {} {}".format(self._file_name(file_number), self.place, place)

    def _numbers(self) -> List[int]:
        """Returns for each path the number of the first one that is the same."""
        return [self._paths.index(path) for path in self._paths] if len(set(self._paths)) < len(self._paths) else list(
            range(len(self._paths))
        )

    def _file_name(self, number: int) -> str:
        return files_.without_folder(self._paths[number], self._folder)

    def _reads(self, readers: int, shuffle: bool, seed: Optional[int], epochs: Optional[int]) -> List[Any]:
        """Returns the (key, value) of each reader; they take file by file from one queue."""
        paths = tf.train.string_input_producer(self._paths, num_epochs=epochs, shuffle=shuffle, seed=seed)
        return [self._reader().read(paths) for _ in range(readers)]

    def _file_dataset(self, path: Any) -> Any:
        """Returns the tf.data.Dataset of the records of one file."""
        raise NotImplementedError

    def _numbered_file_dataset(self, first: Any, path: Any) -> Any:
        """Returns the dataset of (id, record) of one file, whose ids begin at `first`; here they run on by one."""
        return tf.data.Dataset.zip((tf.data.Dataset.range(first, first + PLACES), self._file_dataset(path)))

    def _reader(self) -> Any:
        """Returns the reader that gives the same records to queues."""
        raise NotImplementedError

    def _count_file(self, path: str) -> int:
        raise NotImplementedError

    def _places(self, path: str) -> Iterator[int]:
        """Yields the places of the records of a file, in order."""
        raise NotImplementedError


class TFRecords(RecordFiles):
    """Uncompressed TFRecord files."""

    kind = "TFRecord"
    place = "byte"

    def _file_dataset(self, path: Any) -> Any:
        return tf.data.TFRecordDataset(path, buffer_size=self._read_buffer)

    def _numbered_file_dataset(self, first: Any, path: Any) -> Any:
        def step(place: Any, record: Any) -> Any:
            # Around the data stand their length and two checksums: 16 bytes.
            return place + tf.cast(tf.strings.length(record), tf.int64) + 16, (place, record)

        return scan(self._file_dataset(path), first, tf.autograph.experimental.do_not_convert(step))

    def _reader(self) -> Any:
        return tf.TFRecordReader()

    def _count_file(self, path: str) -> int:
        return sum(1 for _ in files_.tfrecord_places(path))

    def _places(self, path: str) -> Iterator[int]:
        return files_.tfrecord_places(path)


class FixedLengthRecords(RecordFiles):
    """Files of records that all have `record_bytes` bytes."""

    kind = "fixed-length record"
    place = "record"

    def __init__(
        self,
        files: files_.Files,
        parse: Callable[[Any], Any],
        count: Optional[int],
        record_bytes: int,
        header_bytes: int,
        footer_bytes: int,
    ) -> None:
        files_.check_bytes(record_bytes, header_bytes, footer_bytes)
        super().__init__(files, parse, count)
        self._bytes = (record_bytes, header_bytes, footer_bytes)
        counted = sum(self._count_file(path) for path in self._paths)
        if count is None:
            self._count = counted

    def _file_dataset(self, path: Any) -> Any:
        return tf.data.FixedLengthRecordDataset(path, *self._bytes, buffer_size=self._read_buffer)

    def _reader(self) -> Any:
        return tf.FixedLengthRecordReader(*self._bytes)

    def _count_file(self, path: str) -> int:
        return files_.count_fixed_length(path, *self._bytes)

    def _places(self, path: str) -> Iterator[int]:
        return iter(range(self._count_file(path)))
