"""The format of TFRecord files: the places of the records, and how to go on after a damaged one.

    length (uint64)   masked CRC-32C of the length (uint32)   the data   masked CRC-32C of the data (uint32)

A compressed file holds the same bytes, compressed as a whole. Positions are those without compression.
"""
import contextlib
import io
import shutil
import struct
import tempfile
import zlib
from typing import Any, Iterator, NamedTuple, Optional, Tuple

import numpy as np

from legacy_towers.compat import tf
from legacy_towers.compat.versions.record_files import RecordReader
from legacy_towers.data.files import open_file, size_of
from legacy_towers.errors import ArgumentError, InputError

COMPRESSIONS = ("", "GZIP", "ZLIB")
HEADER, FOOTER = 12, 4  # bytes before and after the data
_WINDOW = 1 << 20
_TAIL = 1 << 16
_WINDOW_BITS = {"GZIP": 16 + zlib.MAX_WBITS, "ZLIB": zlib.MAX_WBITS}


class Part(NamedTuple):
    """A part of a file: a record, or bytes that are none.

    Attributes:
      offset: the byte at which it begins.
      record: the data; None if it can't be read.
      problem: why not; "" for a record.
      lost_bytes: the bytes up to the next record; 0 for a record.
    """

    offset: int
    record: Optional[bytes]
    problem: str = ""
    lost_bytes: int = 0


def check_compression(compression: str) -> None:
    """Raises ArgumentError unless `compression` is "", "GZIP" or "ZLIB"."""
    if compression not in COMPRESSIONS:
        raise ArgumentError('compression must be "", "GZIP" or "ZLIB", got {!r}'.format(compression))


def tfrecord_offsets(path: str, compression: str = "") -> Iterator[int]:
    """Yields the byte at which each record of a TFRecord file begins, reading only the headers if it is not compressed.

    Raises:
      InputError: a header is damaged or a record is truncated; the message names the file, the record and the byte.
    """
    size = None if compression else size_of(path)
    offset = count = 0
    with _opened(path, compression) as source:
        while True:
            try:
                header = source.read(HEADER)
            except (zlib.error, EOFError) as error:
                raise InputError("{} is damaged after record {} at byte {:,}: {}".format(
                    path, count - 1, offset, error
                )) from None
            if not header:
                return
            if len(header) < HEADER or masked_crc(header[:8]) != header[8:]:
                kind = "a {} TFRecord file".format(compression) if compression else "an uncompressed TFRecord file"
                raise InputError("{} is damaged, or not {}: the header of record {} at byte {:,} is invalid".format(
                    path, kind, count, offset
                ))
            end = offset + HEADER + struct.unpack("<Q", header[:8])[0] + FOOTER
            if size is None:
                _skip(source, path, count, offset, end)
            elif end > size:
                raise InputError(
                    "{} is truncated: record {} ends at byte {:,}, the file at byte {:,}".format(path, count, end, size)
                )
            else:
                source.seek(end)
            yield offset
            offset, count = end, count + 1


def _skip(source: Any, path: str, count: int, offset: int, end: int) -> None:
    remaining = end - offset - HEADER
    try:
        while remaining:
            piece = source.read(min(remaining, _WINDOW))
            if not piece:
                raise EOFError("it ends inside this record")
            remaining -= len(piece)
    except (zlib.error, EOFError) as error:
        raise InputError("{} is truncated or damaged in record {} at byte {:,}: {}".format(
            path, count, offset, error
        )) from None


def check_is_complete(path: str, compression: str) -> None:
    """Raises InputError if a file ends inside a record, of which TensorFlow's readers report only some.

    A file that ends inside a header (12 bytes) ends for them like a complete one, without an error: tried on 1.15 and
    2.21. Of an uncompressed file only the last record is read. A compressed one is decompressed once.

    Raises:
      InputError: the file ends inside a record; the message names the file, the record and the byte.
    """
    size = size_of(path)
    if not size or not compression and _ends_with_record(path, size):
        return
    for _ in tfrecord_offsets(path, compression):
        pass


def _ends_with_record(path: str, size: int) -> bool:
    """Returns whether a record ends where the file ends, by looking for its header from the end on."""
    window = _TAIL
    with open_file(path) as source:
        while True:
            start = max(0, size - window)
            source.seek(start)
            headers = _headers(source.read(size - start), size - start, exactly=True)
            if len(headers):
                return True
            if start == 0 or window >= 1 << 26:  # a record of 64 MB: reading all headers is as fast
                return False
            window *= 8


def read_parts(path: str, compression: str = "") -> Iterator[Part]:
    """Yields all records of a file and the damaged parts between them, which end where the next record begins.

    A record whose length is intact and whose data is not is one part. Where the length is damaged, the next record
    begins at the next byte at which both checksums match.

    Raises:
      tf.errors.OpError: the file can't be opened.
    """
    if not compression:
        for part in _read_parts(path):
            yield part
        return
    with tempfile.NamedTemporaryFile(prefix="legacy-towers-") as target:
        problem, lost = _decompress(path, compression, target)
        size = size_of(target.name)
        for part in _read_parts(target.name):
            if problem and part.problem and part.offset + part.lost_bytes == size:
                size = part.offset  # the record in which the compressed data ends
            else:
                yield part
        if problem:
            yield Part(size, None, problem, lost)


def _read_parts(path: str) -> Iterator[Part]:
    size, offset = size_of(path), 0
    reader = RecordReader(path)
    while offset < size:
        try:
            record, following = reader.read(offset)
        except (tf.errors.DataLossError, IndexError):
            problem, following = _after_damage(path, offset, size, reader)
            yield Part(offset, None, problem, following - offset)
        else:
            yield Part(offset, record)
        offset = following


def _after_damage(path: str, offset: int, size: int, reader: RecordReader) -> Tuple[str, int]:
    """Returns what is wrong at a byte where no record can be read, and where the next record begins."""
    with open_file(path) as source:
        source.seek(offset)
        header = source.read(HEADER)
        if len(header) < HEADER:
            return "the file ends inside the header of this record", size
        problem = "the length of this record does not match its checksum"
        if masked_crc(header[:8]) == header[8:]:
            end = offset + HEADER + struct.unpack("<Q", header[:8])[0] + FOOTER
            if end <= size:
                return "the data of this record does not match its checksum", end
            problem = "the file ends at byte {:,}, inside this record".format(size)
        start = offset + 1
        while start < size:
            source.seek(start)
            for position in _headers(source.read(_WINDOW + HEADER - 1), size - start, exactly=False):
                if _is_record(reader, start + int(position)):
                    return problem, start + int(position)
            start += _WINDOW
    return problem, size


def _is_record(reader: RecordReader, offset: int) -> bool:
    """Returns whether a whole record is there: data of 8 bytes, with its checksum, looks like a header too."""
    try:
        reader.read(offset)
    except (tf.errors.DataLossError, IndexError):
        return False
    return True


def _headers(block: bytes, left: int, exactly: bool) -> np.ndarray:
    """Returns the positions in a block at which a valid header is.

    Args:
      left: bytes from the beginning of the block to the end of the file.
      exactly: whether the record has to end where the file ends; if not, at most there.
    """
    count = min(len(block) - HEADER + 1, left - HEADER - FOOTER + 1)
    if count <= 0:
        return np.zeros([0], np.int64)
    lengths = np.ndarray((count,), "<u8", block, strides=(1,))
    left_at = (left - HEADER - FOOTER - np.arange(count)).astype(np.uint64)
    positions = np.nonzero(lengths == left_at if exactly else lengths <= left_at)[0]
    of_bytes = np.frombuffer(block, np.uint8)
    crc = np.full(len(positions), 0xFFFFFFFF, np.uint64)
    for byte in range(8):
        crc = _CRC_TABLE[(crc ^ of_bytes[positions + byte]) & 0xFF] ^ (crc >> 8)
    crc ^= 0xFFFFFFFF
    masked = ((crc >> 15 | crc << 17) + 0xA282EAD8) & 0xFFFFFFFF
    stored = np.ndarray((count,), "<u4", block, offset=8, strides=(1,))
    return positions[stored[positions] == masked]


@contextlib.contextmanager
def _opened(path: str, compression: str) -> Iterator[Any]:
    with open_file(path) as source:
        yield io.BufferedReader(_Decompressed(source, compression), _WINDOW) if compression else source


class _Decompressed(io.RawIOBase):
    """The decompressed bytes of a file; reading raises zlib.error where they are damaged, EOFError where truncated."""

    def __init__(self, source: Any, compression: str) -> None:
        self._source = source
        self._bits = _WINDOW_BITS[compression]
        self._inflate = zlib.decompressobj(self._bits)
        self._input = b""
        self.consumed = 0  # compressed bytes

    def readable(self) -> bool:
        return True

    def readinto(self, target: Any) -> int:
        while True:
            if not self._input:
                self._input = self._source.read(_WINDOW)
                if not self._input:
                    if self._inflate.eof or not self.consumed:
                        return 0
                    raise EOFError("its compressed data is truncated")
            if self._inflate.eof:  # another one follows, as in concatenated files
                self._inflate = zlib.decompressobj(self._bits)
            piece = self._inflate.decompress(self._input, len(target))
            rest = self._inflate.unconsumed_tail or self._inflate.unused_data
            self.consumed += len(self._input) - len(rest)
            self._input = rest
            if piece:
                target[:len(piece)] = piece
                return len(piece)


def _decompress(path: str, compression: str, target: Any) -> Tuple[str, int]:
    """Writes the decompressed bytes of a file; returns what is wrong with it, and the compressed bytes that are lost.
    """
    problem, lost = "", 0
    with open_file(path) as source:
        inflated = _Decompressed(source, compression)
        try:
            shutil.copyfileobj(inflated, target, _WINDOW)
        except (zlib.error, EOFError) as error:
            lost = size_of(path) - inflated.consumed
            problem = "the {} data of the file is damaged or truncated here ({})".format(compression, error)
    target.flush()
    return problem, lost


def _crc_table() -> np.ndarray:
    table: Any = np.arange(256, dtype=np.uint64)
    for _ in range(8):
        table = (table >> 1) ^ np.where(table & 1, 0x82F63B78, 0).astype(np.uint64)
    return table


_CRC_TABLE = _crc_table()
_CRC_NUMBERS = tuple(int(number) for number in _CRC_TABLE)


def masked_crc(data: bytes) -> bytes:
    """Returns TFRecord's masked CRC-32C (Castagnoli) of a few bytes."""
    crc = 0xFFFFFFFF
    for byte in data:
        crc = _CRC_NUMBERS[(crc ^ byte) & 0xFF] ^ (crc >> 8)
    crc ^= 0xFFFFFFFF
    return struct.pack("<I", (((crc >> 15) | (crc << 17)) + 0xA282EAD8) & 0xFFFFFFFF)
