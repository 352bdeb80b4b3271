"""The base class of sources that read many records from a file: TFRecords, fixed-length records, lines of text.

The id of a record is the index of its file * 2**40 + its position in the file: the byte offset of a TFRecord, the index
of a fixed-length record (from 0), or the number of a line (from 1, as editors count). The keys of TensorFlow's readers,
"path:position", contain the same positions. A file that is listed twice has one index, and its ids occur twice.
"""
import copy
import functools
import itertools
from typing import Any, Callable, Dict, Iterator, List, Optional, Tuple

from legacy_towers.compat import tf
from legacy_towers.data import files as files_
from legacy_towers.data import tfrecord_files
from legacy_towers.data.file_shards import Piece, pieces_of, shards_by_offset, span_of
from legacy_towers.data.moving_shards import MovingShard
from legacy_towers.data.sources import Raw, Source
from legacy_towers.errors import ArgumentError
from legacy_towers.tensor_types import Dataset

POSITIONS = 2 ** 40  # possible positions in a file: a terabyte of bytes


class RecordFiles(MovingShard, Source):
    """The base of sources that read many records from a file."""

    kind = ""  # of the records, for `describe`
    position_name = ""  # "byte", "record" or "line", for `name_of`
    record_dtype = tf.string
    _read_buffer: Optional[int] = None  # bytes; None leaves it to TensorFlow
    _pieces: Optional[List[Piece]] = None  # of the files, for a shard of them; None: all

    def __init__(self, files: files_.Files, parse: Callable[[Any], Any], count: Optional[int]) -> None:
        self._paths = files_.find_files(files)
        self.paths = self._paths
        self._folder = files_.shared_folder(self._paths)
        self._parse = parse
        self._count = count
        self._counts: Dict[Tuple[str, int], int] = {}  # path and size of a file -> its records

    def describe(self) -> str:
        if self._pieces is not None:
            return ", ".join(map(self._name_of_piece, self._pieces[:3])) + (
                " and {} more".format(len(self._pieces) - 3) if len(self._pieces) > 3 else ""
            ) or "no records"
        plural = "s" if len(self._paths) > 1 else ""
        return "{} {} file{} ({})".format(len(self._paths), self.kind, plural, files_.name_some(self._paths))

    def known_count(self) -> Optional[int]:
        return self._count

    def count(self) -> int:
        if self._count is not None:
            return self._count
        return self.exact_count()

    def exact_count(self) -> int:
        if self._pieces is not None:
            return sum(piece.take for piece in self._pieces)
        return sum(self._counts_of_files())

    def check_file_shards(self) -> None:
        if self._pieces is not None:
            raise ArgumentError("a file shard can't be sharded by file again: {}".format(self.describe()))

    def file_shards(self, shards: int, move: bool = False) -> List[Source]:
        self.check_file_shards()
        ends = list(itertools.accumulate(self._counts_of_files()))
        return [self._limited_to(by_offset, ends) for by_offset in shards_by_offset(ends[-1], shards, move)]

    def _limited_to(self, by_offset: List[range], ends: List[int]) -> Source:
        """Returns the source of consecutive records alone: of one shard, by the offset of the epoch."""
        shard = copy.copy(self)
        shard._pieces = pieces_of(span_of(by_offset), ends)
        shard._by_offset = by_offset if len(by_offset) > 1 else ()
        shard._whole_count = ends[-1]
        shard._count = shard.exact_count()
        shard.paths = [self._paths[piece.file] for piece in shard._pieces]
        shard.has_queue = False
        return shard

    def records(self, shuffle_files: bool, seed: Any) -> Dataset:
        if self._pieces is not None:
            return self._records_of_pieces(lambda first_id, path: self._file_dataset(path), shuffle_files, seed)
        paths = tf.data.Dataset.from_tensor_slices(self._paths)
        if shuffle_files and len(self._paths) > 1:
            paths = paths.shuffle(len(self._paths), seed=seed)
        return paths.flat_map(tf.autograph.experimental.do_not_convert(self._file_dataset))

    def with_read_buffer(self, size: int) -> Source:
        buffered = copy.copy(self)
        buffered._read_buffer = size
        return buffered

    def queue_readers(
        self, readers: int, shuffle: bool, seed: Optional[int], epochs: Optional[int]
    ) -> List[Callable[[], Any]]:
        def value(read: Callable[[], Any]) -> Any:
            return read().value

        return [functools.partial(value, read) for read in self._readers(readers, shuffle, seed, epochs)]

    def parser(self, in_variables: bool = False) -> Callable[..., Any]:
        return self._parse

    def records_with_ids(self, shuffle_files: bool, seed: Any) -> Dataset:
        if self._pieces is not None:
            return self._records_of_pieces(self._file_dataset_with_ids, shuffle_files, seed)
        first_ids = [index * POSITIONS for index in self._file_indices()]
        files = tf.data.Dataset.zip((
            tf.data.Dataset.from_tensor_slices(tf.constant(first_ids, tf.int64)),
            tf.data.Dataset.from_tensor_slices(self._paths),
        ))
        if shuffle_files and len(self._paths) > 1:
            files = files.shuffle(len(self._paths), seed=seed)
        return files.flat_map(tf.autograph.experimental.do_not_convert(self._file_dataset_with_ids))

    def _records_of_pieces(self, read: Callable[[Any, Any], Dataset], shuffle_files: bool, seed: Any) -> Dataset:
        """Returns the dataset of a shard; `read` returns that of a whole file, from its first id and its path."""
        pieces, indices = self._pieces or [], self._file_indices()
        skips: Any = tf.constant([piece.skip for piece in pieces], tf.int64)
        takes: Any = tf.constant([piece.take for piece in pieces], tf.int64)
        if self._of_epoch is not None:
            first = span_of(self._by_offset).start
            begins = first + tf.cumsum(takes, exclusive=True)
            left_out = tf.clip_by_value(self._of_epoch[0] - begins, 0, takes)
            takes = tf.clip_by_value(self._of_epoch[1] - begins, 0, takes) - left_out
            skips += left_out
        files = tf.data.Dataset.from_tensor_slices((
            tf.constant([indices[piece.file] * POSITIONS for piece in pieces], tf.int64),
            tf.constant(list(self.paths), tf.string), skips, takes,
        ))
        if self._of_epoch is not None:
            files = files.filter(tf.autograph.experimental.do_not_convert(lambda first_id, path, skip, take: take > 0))
        if shuffle_files and len(pieces) > 1:
            files = files.shuffle(len(pieces), seed=seed)
        return files.flat_map(tf.autograph.experimental.do_not_convert(
            lambda first_id, path, skip, take: read(first_id, path).skip(skip).take(take)
        ))

    def _counts_of_files(self) -> List[int]:
        """Returns the number of records of each file; reads a file once, as long as its size does not change."""
        keys = [(path, files_.size_of(path)) for path in self._paths]
        for key in keys:
            if key not in self._counts:
                self._counts[key] = self._count_file(key[0])
        return [self._counts[key] for key in keys]

    def _name_of_piece(self, piece: Piece) -> str:
        path = files_.without_folder(self._paths[piece.file], self._folder)
        if piece.is_whole:
            return path
        return "records {:,} to {:,} of {}".format(piece.skip, piece.skip + piece.take - 1, path)

    def queue_readers_with_ids(
        self, readers: int, shuffle: bool, seed: Optional[int], epochs: Optional[int]
    ) -> List[Callable[[], Any]]:
        return [
            functools.partial(self._with_id, read) for read in self._readers(readers, shuffle, seed, epochs)
        ]

    def _with_id(self, take: Callable[[], Any]) -> Any:
        read = take()
        path = tf.strings.regex_replace(read.key, r":\d+$", "")
        position = tf.strings.to_number(tf.strings.regex_replace(read.key, r"(?s)^.*:", ""), tf.int64)
        index = tf.argmax(tf.cast(tf.equal(tf.constant(self._paths), path), tf.int32), output_type=tf.int64)
        return index * POSITIONS + position, read.value

    def ids(self) -> Iterator[int]:
        indices = self._file_indices()
        for number in range(self.number_of_files()):
            file, first, end = self._range_of(number)
            for position in itertools.islice(self._positions(self._paths[file]), first, end):
                yield indices[file] * POSITIONS + position

    def name_of(self, example_id: int) -> str:
        index, position = divmod(example_id, POSITIONS)
        return "{}, {} {}".format(files_.without_folder(self._paths[index], self._folder), self.position_name, position)

    def number_of_files(self) -> int:
        return len(self.paths)

    def read_file(self, index: int) -> Iterator[Raw]:
        file, begin, end = self._range_of(index)
        first = self._file_indices()[file] * POSITIONS
        for number, part in itertools.islice(enumerate(self._parts(self._paths[file])), begin, end):
            yield Raw(first + part.offset, number, part.record, part.problem, part.lost_bytes)

    def _range_of(self, index: int) -> Tuple[int, int, Optional[int]]:
        """Returns which file is the one of this number, its first record, and the one after the last; None: all."""
        if self._pieces is None:
            return index, 0, None
        piece = self._pieces[index]
        return piece.file, piece.skip, piece.skip + piece.take

    def place_of(self, record: Raw) -> str:
        index, position = divmod(record.id, POSITIONS)
        return "{}, {}".format(self._paths[index], self._place(record.number, position))

    def _place(self, number: int, position: int) -> str:
        return "{} {}".format(self.position_name, position)

    def _parts(self, path: str) -> Iterator[tfrecord_files.Part]:
        """Yields the records of a file at their positions, and damaged parts."""
        raise NotImplementedError

    def _file_indices(self) -> List[int]:
        """Returns the index of each path; a path that is listed twice has its first index."""
        if len(set(self._paths)) == len(self._paths):
            return list(range(len(self._paths)))
        return [self._paths.index(path) for path in self._paths]

    def _readers(
        self, readers: int, shuffle: bool, seed: Optional[int], epochs: Optional[int]
    ) -> List[Callable[[], Any]]:
        """Returns functions to the (key, value) of each reader; all readers take their files from one queue."""
        paths = tf.train.string_input_producer(self._paths, num_epochs=epochs, shuffle=shuffle, seed=seed)
        return [functools.partial(self._reader().read, paths) for _ in range(readers)]

    def _file_dataset(self, path: Any) -> Dataset:
        """Returns a tf.data.Dataset of the records of one file."""
        raise NotImplementedError

    def _file_dataset_with_ids(self, first_id: Any, path: Any) -> Dataset:
        """Returns a dataset of (id, record) of one file. In this base class the ids are consecutive from `first_id`."""
        return tf.data.Dataset.zip((tf.data.Dataset.range(first_id, first_id + POSITIONS), self._file_dataset(path)))

    def _reader(self) -> Any:
        """Returns the TensorFlow reader of the same records, for queues."""
        raise NotImplementedError

    def _count_file(self, path: str) -> int:
        raise NotImplementedError

    def _positions(self, path: str) -> Iterator[int]:
        """Yields the positions of the records of a file, in order."""
        raise NotImplementedError
