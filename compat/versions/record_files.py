"""Reading single records of a TFRecord file at any byte, with TensorFlow's own checks of its checksums."""
from typing import Any, Tuple

from legacy_towers.compat.versions import tf


class RecordReader:
    """Reads records of an uncompressed TFRecord file from given bytes on.

    Private: `tf_record_iterator` is public, but it begins at byte 0. Tried on 1.15, 2.13 and 2.21.

    Args:
      path: the file, which may be in a file system of TensorFlow.
    """

    def __init__(self, path: str) -> None:
        self._path = path
        self._reader: Any = None
        self._next = -1
        try:
            from tensorflow.python.lib.io._pywrap_record_io import RandomRecordReader
        except ImportError:  # TensorFlow 1.15 to 2.1: another class, which only reads on; ends with it
            RandomRecordReader = None
        self._random_reader = RandomRecordReader

    def read(self, offset: int) -> Tuple[bytes, int]:
        """Returns the record that begins at a byte, and the byte after it.

        Raises:
          tf.errors.DataLossError: the record is damaged or truncated.
          IndexError: the file ends there, or inside the 12 bytes of the record's header.
        """
        try:
            return self._record(offset)
        except tf.errors.OutOfRangeError as error:
            raise IndexError(str(error)) from None

    def _record(self, offset: int) -> Tuple[bytes, int]:
        if self._random_reader is None:
            return self._read_on(offset)
        if self._reader is None:
            self._reader = self._random_reader(self._path)
        record, following = self._reader.read(offset)
        return record, int(following)

    def _read_on(self, offset: int) -> Tuple[bytes, int]:
        from tensorflow.python import pywrap_tensorflow
        from tensorflow.python.framework import errors

        if self._reader is None or self._next != offset:
            with errors.raise_exception_on_not_ok_status() as status:
                self._reader = pywrap_tensorflow.PyRecordReader_New(
                    self._path.encode("utf-8"), offset, b"", status
                )
        self._next = -1
        self._reader.GetNext()
        record = self._reader.record()
        self._next = offset + len(record) + 16
        return record, self._next
