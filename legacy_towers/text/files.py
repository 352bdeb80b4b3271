"""Writes complete text files, and checks early that a file can be written."""
import os
import tempfile
from typing import Optional

from legacy_towers.errors import ArgumentError


def write_whole(path: str, text: str, what: str) -> None:
    """Writes a file in UTF-8 atomically: a reader sees the old file or the complete new one.

    Args:
      what: a description of the file for the error, such as "the page".

    Raises:
      ArgumentError: the file can't be written.
    """
    write_bytes(path, text.encode("utf-8", "backslashreplace"), what)


def write_bytes(path: str, content: bytes, what: str) -> None:
    """Writes a file as `write_whole` does.

    Raises:
      ArgumentError: the file can't be written.
    """
    try:
        if os.path.exists(path) and not os.path.isfile(path):
            # Opening a folder raises an error; /dev/stdout and /dev/null must not be replaced.
            with open(path, "wb") as stream:
                stream.write(content)
        else:
            _replace(os.path.realpath(path), content)  # replaces the target of a symbolic link
    except OSError as error:
        raise ArgumentError(
            "{} can't be written to {}: {}".format(what, path, error.strerror or error)
        ) from error


def check_writable(path: str, what: str) -> None:
    """Checks that `write_whole` can write a file; `what` describes it for the error.

    Raises:
      ArgumentError: the folder of the file does not exist, `path` is a folder, or there is no write permission.
    """
    folder = os.path.dirname(os.path.abspath(path))
    problem = ""
    if not os.path.isdir(folder):
        problem = "there is no folder {}".format(folder)
    elif os.path.isdir(path):
        problem = "it is a folder"
    elif not os.access(path if os.path.exists(path) else folder, os.W_OK):
        problem = "no write permission"
    if problem:
        raise ArgumentError("{} can't be written to {}: {}".format(what, path, problem))


def working_directory_of(path: str) -> str:
    """Returns ` in the working directory /x` for messages about the missing file `path`; "" if it is not relative."""
    if os.path.isabs(path) or "://" in path:
        return ""
    try:
        return " in the working directory {}".format(os.getcwd())
    except OSError:  # it was removed
        return ""


def check_file(option: str, path: Optional[str]) -> None:
    """Raises ArgumentError, which names the command line's `option`, unless `path` is None or can be written."""
    if path is None:
        return
    if os.path.isdir(path):
        raise ArgumentError("{} is {!r}, which is a directory: name a file".format(option, path))
    folder = os.path.dirname(os.path.abspath(path))
    if not os.path.isdir(folder):
        raise ArgumentError("{} is {!r}: there is no directory {!r}".format(option, path, folder))
    check_directory(option, folder)


def check_directory(option: str, path: str) -> None:
    """Raises ArgumentError, which names the command line's `option`, unless files can be created in a directory."""
    if not os.access(path, os.W_OK | os.X_OK):
        raise ArgumentError("{}: nothing can be written into the directory {!r}".format(option, path))


def _replace(path: str, content: bytes) -> None:
    handle, unfinished = tempfile.mkstemp(dir=os.path.dirname(path), prefix=".unfinished-")
    try:
        with os.fdopen(handle, "wb") as target:
            target.write(content)
        # mkstemp creates files that only their owner may read; reports are shared.
        umask = os.umask(0)
        os.umask(umask)
        os.chmod(unfinished, 0o666 & ~umask)
        os.replace(unfinished, path)
    except BaseException:
        os.unlink(unfinished)
        raise
