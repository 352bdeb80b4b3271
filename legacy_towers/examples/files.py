"""Files of records: which ones are meant, and how many records they hold."""
import os
import struct
from typing import Any, Iterable, Iterator, List, Tuple, Union

from legacy_towers.compat import tf
from legacy_towers.errors import ArgumentError, InputError

Files = Union[str, Iterable[str]]


def find_files(files: Files) -> List[str]:
    """Returns the paths that `files` means: a path, a glob pattern (sorted), or an iterable of paths and patterns.

    Raises:
      InputError: a path doesn't exist, a pattern matches nothing, or all the files are empty; the message names them.
    """
    asked = [files] if isinstance(files, (str, os.PathLike)) else list(files)
    if not asked:
        raise InputError("no files given: the list of files is empty")
    found: List[str] = []
    missing: List[str] = []
    for name in (os.fspath(path) for path in asked):
        if tf.io.gfile.exists(name):
            matches = [name]
        else:
            matches = sorted(tf.io.gfile.glob(name)) if set(name) & set("*?[") else []
        found.extend(matches)
        missing.extend([] if matches else [name])
    if missing:
        raise InputError("no such file: {}".format(", ".join(missing)))
    directories = [path for path in found if tf.io.gfile.isdir(path)]
    if directories:
        raise InputError("{} is a directory: name the files in it, such as {}".format(
            directories[0], os.path.join(directories[0], "*")
        ))
    if not any(_size(path) for path in found):
        raise InputError("all files are empty: {}".format(name_some(found)))
    return found


def tfrecord_places(path: str) -> Iterator[int]:
    """Yields the byte where each record of an uncompressed TFRecord file begins, from the records' headers alone.

    Raises:
      InputError: a header is damaged or a record is cut off; the message names the file and the place.
    """
    # A record: length (uint64), masked CRC-32C of the length (uint32), the data, masked CRC-32C of the data (uint32).
    size, place, count = _size(path), 0, 0
    with _open(path) as source:
        while place < size:
            header = source.read(12)
            if len(header) < 12 or _masked_crc(header[:8]) != header[8:]:
                raise InputError(
                    "{} is not an uncompressed TFRecord file or is damaged: record {} at byte {:,} has a wrong "
                    "header".format(path, count, place)
                )
            end = place + 12 + struct.unpack("<Q", header[:8])[0] + 4
            if end > size:
                raise InputError(
                    "{} is cut off: record {} ends at byte {:,}, the file at {:,}".format(path, count, end, size)
                )
            yield place
            source.seek(end)
            place, count = end, count + 1


def count_lines(path: str) -> int:
    """Returns the number of lines of a file, the last one with or without a line break."""
    count, last = 0, b"\n"
    with _open(path) as source:
        while True:
            block = source.read(1 << 20)
            if not block:
                return count + (last != b"\n")
            count += block.count(b"\n")
            last = block[-1:]


def lines(path: str, skip: int) -> Iterator[Tuple[int, bytes]]:
    """Yields the number (from 1) and the bytes of each line after the first `skip`, without its line break."""
    with _open(path) as source:
        for number, line in enumerate(source, 1):
            if number > skip:
                yield number, line.rstrip(b"\r\n")


def empty_files(paths: List[str]) -> List[str]:
    """Returns those of the paths whose file has no byte."""
    return [path for path in paths if not _size(path)]


def shared_folder(paths: List[str]) -> str:
    """Returns the folder that all the paths lie in, with its last slash; "" if there is none."""
    folders = sorted({os.path.dirname(path) for path in paths})
    if any("://" in folder for folder in folders):
        return folders[0] + "/" if len(folders) == 1 else ""
    if "" in folders or len({os.path.isabs(folder) for folder in folders}) > 1:
        return ""
    shared = os.path.commonpath(folders)
    return os.path.join(shared, "") if all(folder.startswith(shared) for folder in folders) else ""


def without_folder(path: str, folder: str) -> str:
    """Returns `path` without `folder`, a `shared_folder`."""
    return path[len(folder):].lstrip("/") if folder else path


def count_fixed_length(path: str, record_bytes: int, header_bytes: int, footer_bytes: int) -> int:
    """Returns the number of records of `record_bytes` bytes in a file.

    Raises:
      InputError: what lies between header and footer is no whole number of records.
    """
    size = _size(path)
    count, rest = divmod(size - header_bytes - footer_bytes, record_bytes)
    if count < 0 or rest:
        around = " after {} bytes of header and footer".format(header_bytes + footer_bytes)
        raise InputError(
            "{} has {:,} bytes: that is no whole number of records of {:,} bytes{}".format(
                path, size, record_bytes, around if header_bytes + footer_bytes else ""
            )
        )
    return count


def check_bytes(record_bytes: int, header_bytes: int, footer_bytes: int) -> None:
    """Raises ArgumentError unless these can be the sizes, in bytes, of a file's records, header and footer."""
    if record_bytes < 1 or header_bytes < 0 or footer_bytes < 0:
        raise ArgumentError(
            "record_bytes must be at least 1, header_bytes and footer_bytes at least 0, not {}, {} and {}".format(
                record_bytes, header_bytes, footer_bytes
            )
        )


def name_some(paths: List[str]) -> str:
    """Returns the first paths, and how many more there are."""
    more = len(paths) - 3
    return ", ".join(paths[:3]) + (" and {} more".format(more) if more > 0 else "")


def _size(path: str) -> int:
    return int(tf.io.gfile.stat(path).length)


def _open(path: str) -> Any:
    # Python's own file seeks inside its buffer and is the faster one; GFile knows the remote file systems.
    return tf.io.gfile.GFile(path, "rb") if "://" in path else open(path, "rb")


def _crc_table() -> List[int]:
    table = []
    for byte in range(256):
        for _ in range(8):
            byte = (byte >> 1) ^ (0x82F63B78 if byte & 1 else 0)
        table.append(byte)
    return table


_CRC_TABLE = tuple(_crc_table())


def _masked_crc(data: bytes) -> bytes:
    """Returns TFRecord's masked CRC-32C (Castagnoli) of a few bytes."""
    crc = 0xFFFFFFFF
    for byte in data:
        crc = _CRC_TABLE[(crc ^ byte) & 0xFF] ^ (crc >> 8)
    crc ^= 0xFFFFFFFF
    return struct.pack("<I", (((crc >> 15) | (crc << 17)) + 0xA282EAD8) & 0xFFFFFFFF)
