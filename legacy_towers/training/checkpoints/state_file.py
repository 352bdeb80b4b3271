"""The file "checkpoint" of a directory, which `tf.train.latest_checkpoint` reads: here with a checksum of its own.

The checksum is a comment in the last line, which TensorFlow skips. What the file says is never trusted: checkpoints are
found by their files, and of a path in it only the name counts, so that it can't lead out of its directory.
"""
import os
import re
import zlib
from typing import List, NamedTuple, Optional, Tuple

from legacy_towers.compat import tf
from legacy_towers.training.checkpoints import files
from legacy_towers.training.checkpoints.manifest import SUFFIX

STATE_FILE = "checkpoint"
_SEAL = re.compile(br"\n# crc32 of the lines above: ([0-9a-f]{8})\n\Z")
_ENTRY = re.compile(r'\s*(model_checkpoint_path|all_model_checkpoint_paths)\s*:\s*"((?:[^"\\]|\\.)*)"\s*$')
# What tf.train.CheckpointManager writes too, or nothing.
_OTHER = re.compile(r"\s*((all_model_checkpoint_timestamps|last_preserved_timestamp)\s*:\s*[-+.\w]+\s*)?$")


class State(NamedTuple):
    """What the file "checkpoint" of a directory says.

    Attributes:
      exists: whether there is such a file.
      newest: the checkpoint that it names as the newest, as a name in the directory; None if it names none.
      names: the names of all checkpoints in it, each once.
      problems: what is wrong with it, in clauses that begin with its path.
    """

    exists: bool
    newest: Optional[str]
    names: List[str]
    problems: List[str]


def read_state(directory: str) -> State:
    """Reads the file "checkpoint" of a directory, whatever its content."""
    path = os.path.join(directory, STATE_FILE)
    if not files.exists(path) or files.is_directory(path):
        return State(False, None, [], [])
    content = files.read(path)
    if not content.strip():
        return State(True, None, [], ["{} is empty".format(path)])
    text, problems = _checked(content, path)
    newest, names = None, []
    for key, entry in text:
        name = os.path.basename(entry)
        here = files.exists(os.path.join(directory, name + ".index"))
        if name in ("", ".", ".."):
            problems.append("{} names {!r}, which is not a checkpoint".format(path, entry))
        elif _leads_outside(directory, entry) and not here:
            problems.append("{} names {}, which is outside its directory".format(path, entry))
        else:
            if key == "model_checkpoint_path":
                newest = name
            if name not in names:
                names.append(name)
    is_sealed = _SEAL.search(content) is not None
    if not is_sealed and not problems and newest and files.exists(os.path.join(directory, newest + SUFFIX)):
        problems.append("{} has lost its checksum".format(path))
    if newest is None and not problems:
        problems.append("{} names no checkpoint".format(path))
    return State(True, newest, names, list(dict.fromkeys(problems)))


def _checked(content: bytes, path: str) -> Tuple[List[Tuple[str, str]], List[str]]:
    """Returns the entries as (key, value), and what is wrong with the text."""
    seal = _SEAL.search(content)
    if seal is not None:
        content, checksum = content[: seal.start() + 1], seal.group(1)
        if zlib.crc32(content) != int(checksum, 16):
            changed = "{} was changed after it was written (its checksum does not match)".format(path)
            return _entries(content)[0], [changed]
    entries, unknown = _entries(content)
    return entries, ["{} has a line that can't be read: {!r}".format(path, line) for line in unknown[:1]]


def _entries(content: bytes) -> Tuple[List[Tuple[str, str]], List[str]]:
    """Returns (key, value) of each line that has them, and the lines that are not understood."""
    entries, unknown = [], []
    for line in content.decode("utf-8", "replace").split("\n"):
        found = _ENTRY.match(line)
        if found is not None:
            entries.append((found.group(1), _unescaped(found.group(2))))
        elif not _OTHER.match(line):
            unknown.append(line)
    return entries, unknown


def write_state(directory: str, names: List[str], unfinished: str) -> None:
    """Writes the file "checkpoint" atomically.

    Args:
      names: the checkpoints of the directory, the newest last.
      unfinished: where to write the file before it is renamed.
    """
    state = tf.train.generate_checkpoint_state_proto(directory, names[-1], list(names))
    # Names, not paths: the directory can be moved, and a relative path of the process means nothing to another one.
    state.model_checkpoint_path = names[-1]
    state.all_model_checkpoint_paths[:] = names
    content = str(state).encode("utf-8")
    content += "# crc32 of the lines above: {:08x}\n".format(zlib.crc32(content)).encode("ascii")
    path = os.path.join(directory, STATE_FILE)
    files.write(unfinished, content)
    files.move(unfinished, path)


def _leads_outside(directory: str, entry: str) -> bool:
    parent = os.path.dirname(entry if files.is_remote(entry) else os.path.join(directory, entry))
    if files.is_remote(directory):
        return parent.rstrip("/") != directory.rstrip("/")
    return os.path.realpath(parent) != os.path.realpath(directory)


def _unescaped(text: str) -> str:
    r"""Returns a string of a text proto without its escapes, such as \" and \303\244."""
    if "\\" not in text:
        return text
    raw = text.encode("utf-8").decode("unicode_escape", "replace")
    return raw.encode("latin-1", "replace").decode("utf-8", "replace")
