"""Examples from files of records that all have the same number of bytes."""
from typing import Any, Callable, Iterator, Optional

from legacy_towers.compat import tf
from legacy_towers.data import files as files_
from legacy_towers.data.records import RecordFiles
from legacy_towers.data.tfrecord_files import Part
from legacy_towers.tensor_types import Dataset


class FixedLengthRecords(RecordFiles):
    """Files of records that all have `record_bytes` bytes."""

    kind = "fixed-length record"
    position_name = "record"

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

    def _file_dataset(self, path: Any) -> Dataset:
        return tf.data.FixedLengthRecordDataset(path, *self._bytes, buffer_size=self._read_buffer)

    def _reader(self) -> Any:
        return tf.FixedLengthRecordReader(*self._bytes)

    def _count_file(self, path: str) -> int:
        return files_.count_fixed_length(path, *self._bytes)

    def _positions(self, path: str) -> Iterator[int]:
        return iter(range(self._count_file(path)))

    def _parts(self, path: str) -> Iterator[Part]:
        record_bytes, header_bytes, _ = self._bytes
        with files_.open_file(path) as source:
            source.seek(header_bytes)
            for position in range(self._count_file(path)):
                yield Part(position, source.read(record_bytes))

    def _place(self, number: int, position: int) -> str:
        return "record {} (byte {:,})".format(number, self._bytes[1] + position * self._bytes[0])
