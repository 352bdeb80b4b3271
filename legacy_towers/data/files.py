"""Files of records: finding them, and counting lines and records of equal length."""
import os
from typing import Any, Iterable, Iterator, List, Tuple, Union

from legacy_towers.compat import tf
from legacy_towers.errors import ArgumentError, InputError
from legacy_towers.text.files import working_directory_of

Files = Union[str, Iterable[str]]


def find_files(files: Files) -> List[str]:
    """Returns the paths of `files`: a path, a glob pattern (sorted matches), or an iterable of paths and patterns.

    Raises:
      InputError: a path does not exist, is a directory or can't be read, a pattern matches no file, or all files are
        empty; the message names them.
    """
    patterns = [files] if isinstance(files, (str, os.PathLike)) else list(files)
    if not patterns:
        raise InputError("no files are given: the list of files is empty")
    found: List[str] = []
    missing: List[str] = []
    for name in (os.fspath(path) for path in patterns):
        if tf.io.gfile.exists(name):
            matches = [name]
        else:
            matches = _matches(name) if set(name) & set("*?[") else []
        found.extend(matches)
        missing.extend([] if matches else [name])
    if missing:
        where = "".join([working_directory_of(path) for path in missing][:1])
        raise InputError("there is no file {}{}".format(", ".join(missing), where))
    directories = [path for path in found if tf.io.gfile.isdir(path)]
    if directories:
        raise InputError("{} is a directory: give the files in it, such as {}".format(
            directories[0], os.path.join(directories[0], "*")
        ))
    unreadable = [path for path in found if "://" not in path and not os.access(path, os.R_OK)]
    if unreadable:
        raise InputError("{} can't be read: this user has no permission".format(name_some(unreadable)))
    if not any(size_of(path) for path in found):
        raise InputError("all files are empty: {}".format(name_some(found)))
    return found


def _matches(pattern: str) -> List[str]:
    """Returns the paths that match a pattern, sorted."""
    try:
        return sorted(tf.io.gfile.glob(pattern))
    except tf.errors.NotFoundError:  # TF 1.15, if the directory does not exist
        return []


def count_lines(path: str) -> int:
    """Returns the number of lines of a file; the last one need not have a line break."""
    count, last = 0, b"\n"
    with open_file(path) as source:
        while True:
            block = source.read(1 << 20)
            if not block:
                return count + (last != b"\n")
            count += block.count(b"\n")
            last = block[-1:]


def lines(path: str, skip: int) -> Iterator[Tuple[int, bytes]]:
    """Yields the number (from 1) and the bytes of each line after the first `skip`, without its line break."""
    with open_file(path) as source:
        for number, line in enumerate(source, 1):
            if number > skip:
                yield number, line.rstrip(b"\r\n")


def empty_files(paths: List[str]) -> List[str]:
    """Returns the paths of the empty files among `paths`."""
    return [path for path in paths if not size_of(path)]


def shared_folder(paths: List[str]) -> str:
    """Returns the common folder of all paths, with a slash at its end; "" if there is none."""
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
      InputError: the size without header and footer is not a multiple of `record_bytes`.
    """
    size = size_of(path)
    count, rest = divmod(size - header_bytes - footer_bytes, record_bytes)
    if count < 0 or rest:
        without = " without its {} bytes of header and footer".format(header_bytes + footer_bytes)
        raise InputError(
            "{} has {:,} bytes, which{} is not a multiple of the record size, {:,} bytes".format(
                path, size, without if header_bytes + footer_bytes else "", record_bytes
            )
        )
    return count


def check_bytes(record_bytes: int, header_bytes: int, footer_bytes: int) -> None:
    """Raises ArgumentError unless record_bytes is positive and the other sizes are not negative."""
    if record_bytes < 1 or header_bytes < 0 or footer_bytes < 0:
        raise ArgumentError(
            "record_bytes must be at least 1, header_bytes and footer_bytes at least 0, got {}, {} and {}".format(
                record_bytes, header_bytes, footer_bytes
            )
        )


def name_some(paths: List[str]) -> str:
    """Returns the first three paths and the number of the others, as text."""
    more = len(paths) - 3
    return ", ".join(paths[:3]) + (" and {} more".format(more) if more > 0 else "")


def size_of(path: str) -> int:
    """Returns the size of a file in bytes."""
    return int(tf.io.gfile.stat(path).length)


def open_file(path: str) -> Any:
    """Opens a file for reading bytes."""
    # A Python file is faster, since it seeks inside its buffer; GFile supports remote file systems.
    return tf.io.gfile.GFile(path, "rb") if "://" in path else open(path, "rb")
