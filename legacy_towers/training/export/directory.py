"""The directory of an exported model: new, and complete or absent."""
import contextlib
import os
import tempfile
from typing import Iterator

from legacy_towers.errors import ArgumentError
from legacy_towers.training.checkpoints import files
from legacy_towers.training.settings import check_new_directory


@contextlib.contextmanager
def new_directory(path: str) -> Iterator[str]:
    """Returns a context manager that gives the name of a directory to create, and renames it to `path` at its end.

    Directories above `path` are created. After an error nothing is left.

    Raises:
      ArgumentError: `path` exists, or nothing can be created there.
    """
    check_new_directory("the output", path)
    parent = os.path.dirname(path.rstrip("/")) or "."
    try:
        created = _create(parent)
        aside = "{}.unfinished".format(path.rstrip("/")) if files.is_remote(path) else tempfile.mkdtemp(
            prefix=".unfinished-export-", dir=parent
        )
    except OSError as error:
        raise ArgumentError("nothing can be written to {}: {}".format(parent, error.strerror or error)) from error
    finished = False
    try:
        unfinished = os.path.join(aside, "model")
        yield unfinished
        _sync(unfinished)
        files.move(unfinished, path.rstrip("/"))
        finished = True
        files.sync_directory(parent)
    finally:
        files.remove_tree(aside)
        for each in [] if finished else created:
            with contextlib.suppress(OSError):  # somebody else uses it by now
                os.rmdir(each)


def _create(directory: str) -> Iterator[str]:
    """Creates a directory and those above it; returns those that did not exist, the lowest first."""
    missing = []
    above = directory
    while not files.is_remote(directory) and not os.path.isdir(above) and above not in ("", os.path.sep):
        missing.append(above)
        above = os.path.dirname(above)
    files.make_directory(directory)
    return iter(missing)


def _sync(directory: str) -> None:
    """Waits until all files below a local directory are on its disk."""
    if files.is_remote(directory):
        return
    for folder, _, names in os.walk(directory):
        for name in names:
            files.sync(os.path.join(folder, name))
        files.sync_directory(folder)
