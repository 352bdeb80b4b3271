"""Examples from TFRecord files."""
from typing import Any, Callable, Iterator, List, Optional, Set

from legacy_towers.compat import tf
from legacy_towers.compat.versions.data import scan
from legacy_towers.data import tfrecord_files
from legacy_towers.data.files import Files
from legacy_towers.data.records import RecordFiles
from legacy_towers.tensor_types import Dataset


class TFRecords(RecordFiles):
    """TFRecord files."""

    kind = "TFRecord"
    position_name = "byte"

    def __init__(
        self, files: Files, parse: Callable[[Any], Any], count: Optional[int], compression: str = ""
    ) -> None:
        tfrecord_files.check_compression(compression)
        super().__init__(files, parse, count)
        self._compression = compression
        self._complete: Set[str] = set()  # the files whose end was checked

    def records(self, shuffle_files: bool, seed: Any) -> Dataset:
        self._check_ends()
        return super().records(shuffle_files, seed)

    def records_with_ids(self, shuffle_files: bool, seed: Any) -> Dataset:
        self._check_ends()
        return super().records_with_ids(shuffle_files, seed)

    def _readers(
        self, readers: int, shuffle: bool, seed: Optional[int], epochs: Optional[int]
    ) -> List[Callable[[], Any]]:
        self._check_ends()
        return super()._readers(readers, shuffle, seed, epochs)

    def _check_ends(self) -> None:
        for path in self.paths:
            if path not in self._complete:
                tfrecord_files.check_is_complete(path, self._compression)
                self._complete.add(path)

    def _file_dataset(self, path: Any) -> Dataset:
        return tf.data.TFRecordDataset(path, self._compression or None, buffer_size=self._read_buffer)

    def _file_dataset_with_ids(self, first_id: Any, path: Any) -> Dataset:
        def step(record_id: Any, record: Any) -> Any:
            # A record's length and two checksums take 16 bytes.
            return record_id + tf.cast(tf.strings.length(record), tf.int64) + 16, (record_id, record)

        return scan(self._file_dataset(path), first_id, tf.autograph.experimental.do_not_convert(step))

    def _reader(self) -> Any:
        return tf.TFRecordReader(options=tf.io.TFRecordOptions(self._compression) if self._compression else None)

    def _count_file(self, path: str) -> int:
        return sum(1 for _ in self._positions(path))

    def _positions(self, path: str) -> Iterator[int]:
        return tfrecord_files.tfrecord_offsets(path, self._compression)

    def _parts(self, path: str) -> Iterator[tfrecord_files.Part]:
        return tfrecord_files.read_parts(path, self._compression)

    def _place(self, number: int, position: int) -> str:
        return "record {} (byte {:,})".format(number, position)
