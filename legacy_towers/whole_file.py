"""Text files that appear whole or not at all."""
import os
import tempfile

from legacy_towers.errors import ArgumentError


def write_whole(path: str, text: str, what: str) -> None:
    """Writes `text` in UTF-8; a reader sees the old file or the new one, never a part.

    Args:
      path: the file; its folder must be there.
      text: what it shall hold.
      what: what the file is, for the error: "the page".

    Raises:
      ArgumentError: the file can't be written.
    """
    content = text.encode("utf-8", "backslashreplace")
    try:
        if os.path.exists(path) and not os.path.isfile(path):
            # A folder refuses; /dev/stdout and /dev/null take the text, and must not be replaced by a file.
            with open(path, "wb") as stream:
                stream.write(content)
        else:
            _replace(os.path.realpath(path), content)  # a link stays a link
    except OSError as error:
        raise ArgumentError(
            "{} can't be written to {}: {}".format(what, path, error.strerror or error)
        ) from error


def check_writable(path: str, what: str) -> None:
    """Refuses at the start what `write_whole` would refuse at the end of a long run.

    Raises:
      ArgumentError: there is no folder for the file, or it may not be written there.
    """
    folder = os.path.dirname(os.path.abspath(path))
    problem = ""
    if not os.path.isdir(folder):
        problem = "there is no folder {}".format(folder)
    elif os.path.isdir(path):
        problem = "it is a folder"
    elif not os.access(path if os.path.exists(path) else folder, os.W_OK):
        problem = "it may not be written there"
    if problem:
        raise ArgumentError("{} can't be written to {}: {}".format(what, path, problem))


def _replace(path: str, content: bytes) -> None:
    handle, unfinished = tempfile.mkstemp(dir=os.path.dirname(path), prefix=".unfinished-")
    try:
        with os.fdopen(handle, "wb") as target:
            target.write(content)
        # mkstemp makes files that only their owner may read; a report is for sharing.
        umask = os.umask(0)
        os.umask(umask)
        os.chmod(unfinished, 0o666 & ~umask)
        os.replace(unfinished, path)
    except BaseException:
        os.unlink(unfinished)
        raise
