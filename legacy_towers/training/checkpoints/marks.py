"""The folder for unfinished work in a checkpoint directory, and the marks of checkpoints that are not complete.

    run/.unfinished-checkpoints/save-500-1/          a checkpoint that is being written; nobody reads it here
    run/.unfinished-checkpoints/model.ckpt-500.mark  its files are being moved to run/, or removed from it

A checkpoint with a mark and without its index file, which is moved last and removed first, does not exist: its other
files are left from a run that was killed. What is in the folder belongs to the run that has the lock of the directory;
at its start it is left from an earlier one, and is removed.
"""
import contextlib
import os
import re
from typing import Iterator, List, Set

from legacy_towers.training.checkpoints import files

UNFINISHED = ".unfinished-checkpoints"
_MARK = ".mark"
# TensorFlow's own temporary files in the directory of a saver that was killed, for a basename and a step.
_TENSORFLOWS = (
    r"(?:{basename}-\d+_temp(?:_[0-9a-f]{{32}})?"
    r"|{basename}-\d+\.(?:index|data-\d{{5}}-of-\d{{5}})\.tempstate\d+"
    r"|(?:{basename}-\d+\.meta|checkpoint|graph\.pbtxt)\.tmp[0-9a-f]{{32}})$"
)


def unfinished(directory: str, *names: str) -> str:
    """Returns a path in the folder for unfinished work."""
    return os.path.join(directory, UNFINISHED, *names)


@contextlib.contextmanager
def marked(directory: str, name: str) -> Iterator[None]:
    """Returns a context manager that marks a checkpoint while its files are moved or removed.

    The mark stays after an error, until `remove_unfinished`.
    """
    files.make_directory(unfinished(directory))
    mark = unfinished(directory, name + _MARK)
    files.write(mark, b"")
    yield
    files.remove(mark)


def marked_names(directory: str) -> Set[str]:
    """Returns the names of the marked checkpoints of a directory."""
    return {name[: -len(_MARK)] for name in files.names_in(unfinished(directory)) if name.endswith(_MARK)}


def remove_unfinished(directory: str) -> None:
    """Removes what marks belong to, and the folder for unfinished work; only for the run with the lock."""
    for name in marked_names(directory):
        if not files.exists(os.path.join(directory, name + ".index")):
            for each in files_of(directory, name):
                files.remove(os.path.join(directory, each))
    files.remove_tree(unfinished(directory))


def replace_file(directory: str, name: str, content: bytes) -> None:
    """Writes a file of the directory atomically, in the folder for unfinished work; only for the run with the lock."""
    try:
        files.make_directory(unfinished(directory))
        files.write(unfinished(directory, name), content)
        files.move(unfinished(directory, name), os.path.join(directory, name))
    finally:
        remove_unfinished(directory)


def remove_litter(directory: str, basename: str) -> List[str]:
    """Removes what killed runs left: unfinished work, and temporary files of TensorFlow's savers; returns these."""
    remove_unfinished(directory)
    pattern = re.compile(_TENSORFLOWS.format(basename=re.escape(basename)))
    left = [name for name in files.names_in(directory) if pattern.match(name)]
    for name in left:
        path = os.path.join(directory, name)
        if files.is_directory(path):
            files.remove_tree(path)
        else:
            files.remove(path)
    return left


def files_of(directory: str, name: str) -> List[str]:
    """Returns the files of a checkpoint in its directory: the index first, the manifest last."""
    pattern = re.compile(re.escape(name) + r"\.(index|meta|manifest|input|data-\d{5}-of-\d{5})$")
    found = [each for each in files.names_in(directory) if pattern.match(each)]
    return sorted(found, key=lambda each: (not each.endswith(".index"), each.endswith(".manifest"), each))
