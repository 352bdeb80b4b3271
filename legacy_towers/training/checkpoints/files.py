"""Files of a checkpoint directory: durable, atomic writes, and checksums. Directories such as hdfs://... work too.

Modes of files and directories follow the umask. On a remote file system, TensorFlow's own functions are used, and
whether a rename is atomic and a file durable is the file system's affair.
"""
import os
import shutil
import zlib
from typing import List, NamedTuple, Optional

from legacy_towers.compat import tf

_CHUNK = 1 << 20


class Content(NamedTuple):
    """Size and CRC-32 of a file."""

    size: int
    crc32: int


def is_remote(path: str) -> bool:
    """Returns whether a path is in a file system of TensorFlow, such as hdfs://."""
    return "://" in path


def names_in(directory: str) -> List[str]:
    """Returns the names in a directory, sorted; [] if it does not exist."""
    try:
        if not is_remote(directory):
            return sorted(os.listdir(directory))
        return sorted(name.rstrip("/") for name in tf.io.gfile.listdir(directory))
    except (FileNotFoundError, NotADirectoryError, tf.errors.NotFoundError):
        return []


def exists(path: str) -> bool:
    """Returns whether a file or directory exists."""
    return bool(tf.io.gfile.exists(path)) if is_remote(path) else os.path.exists(path)


def leads_outside(path: str) -> bool:
    """Returns whether a local path is a symbolic link to a file in another directory."""
    if is_remote(path) or not os.path.islink(path):
        return False
    return os.path.dirname(os.path.realpath(path)) != os.path.realpath(os.path.dirname(path))


def is_directory(path: str) -> bool:
    """Returns whether a path is a directory."""
    return bool(tf.io.gfile.isdir(path)) if is_remote(path) else os.path.isdir(path)


def read(path: str) -> bytes:
    """Returns the bytes of a file."""
    with tf.io.gfile.GFile(path, "rb") if is_remote(path) else open(path, "rb") as source:
        content: bytes = source.read()
    return content


def content_of(path: str) -> Content:
    """Returns size and CRC-32 of a file, which is read in pieces."""
    size = crc = 0
    with tf.io.gfile.GFile(path, "rb") if is_remote(path) else open(path, "rb", buffering=0) as source:
        while True:
            piece = source.read(_CHUNK)
            if not piece:
                return Content(size, crc)
            size += len(piece)
            crc = zlib.crc32(piece, crc)


def make_directory(path: str) -> None:
    """Creates a directory and those above it, unless they exist."""
    if is_remote(path):
        tf.io.gfile.makedirs(path)
    else:
        os.makedirs(path, exist_ok=True)


def sync(path: str) -> None:
    """Waits until a local file is on its disk."""
    if is_remote(path):
        return
    handle = os.open(path, os.O_RDONLY)
    try:
        os.fsync(handle)
    finally:
        os.close(handle)


def sync_directory(path: str) -> None:
    """Waits until the names in a local directory are on its disk, where the system can."""
    if is_remote(path) or os.name != "posix":
        return
    handle = os.open(path, os.O_RDONLY)
    try:
        os.fsync(handle)
    except OSError:  # some network file systems refuse this for directories
        pass
    finally:
        os.close(handle)


def write(path: str, content: bytes) -> None:
    """Writes a file and waits until it is on its disk."""
    if is_remote(path):
        with tf.io.gfile.GFile(path, "wb") as target:
            target.write(content)
        return
    with open(path, "wb") as target:
        target.write(content)
        target.flush()
        os.fsync(target.fileno())


def move(source: str, target: str) -> None:
    """Renames a file, and replaces the target if it exists: readers see the old file or the new one."""
    if is_remote(source):
        tf.io.gfile.rename(source, target, overwrite=True)
    else:
        os.replace(source, target)


def remove(path: str) -> None:
    """Removes a file, unless it does not exist."""
    try:
        if is_remote(path):
            tf.io.gfile.remove(path)
        else:
            os.remove(path)
    except (FileNotFoundError, tf.errors.NotFoundError):
        pass


def remove_tree(path: str) -> None:
    """Removes a directory with all in it, unless it does not exist."""
    if is_remote(path):
        if tf.io.gfile.exists(path):
            tf.io.gfile.rmtree(path)
    elif os.path.islink(path):
        os.remove(path)  # never what it leads to
    elif os.path.isdir(path):
        shutil.rmtree(path)


def free_bytes(path: str) -> Optional[int]:
    """Returns how many bytes can be written to the disk of a directory; None if it can't be known."""
    if is_remote(path):
        return None
    try:
        return shutil.disk_usage(path).free
    except OSError:
        return None
