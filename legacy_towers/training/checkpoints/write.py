"""Writes a checkpoint so that it is complete or absent.

    1. The saver writes into a folder of its own, where nobody looks for checkpoints.
    2. The files are read back: TensorFlow's checksums, which it computed from the values in memory, must match. They
       are brought to the disk (fsync), and the manifest is computed.
    3. The files are renamed into the directory, the index last: without it there is no checkpoint.
    4. The file "checkpoint" is replaced.

A process that is killed in between leaves the checkpoints before, or also the new one. The rest is removed when the
next run starts; see `marks.py`.
"""
import errno
import os
from typing import Any, Dict, List, NamedTuple, Optional

from legacy_towers.compat import tf
from legacy_towers.errors import SaveError
from legacy_towers.text.messages import first_line
from legacy_towers.training.checkpoints import files
from legacy_towers.training.checkpoints.manifest import SUFFIX, Manifest, manifest_of, read_manifest
from legacy_towers.training.checkpoints.marks import files_of, marked, remove_unfinished, unfinished
from legacy_towers.training.checkpoints.verify import damage, tensor_damage

# The errors of a session that was lost, which MonitoredSession recovers from by a new one.
_LOST = (tf.errors.AbortedError, tf.errors.UnavailableError, tf.errors.CancelledError)
# What TensorFlow's errors contain if a file can't be written. Their class says little: "File too large" is an
# OutOfRangeError, which would pass for the end of the data.
_FILE_ERRORS = [
    os.strerror(number) for number in (
        errno.ENOSPC, errno.EDQUOT, errno.EFBIG, errno.EIO, errno.EROFS, errno.EACCES, errno.EPERM, errno.ENOENT,
        errno.ENOTDIR, errno.EMFILE, errno.ENFILE, errno.ENAMETOOLONG,
    )
]


class Staged(NamedTuple):
    """A checkpoint that the saver has written, and that is not visible yet.

    Attributes:
      directory: the directory where it will be.
      folder: the folder where its files are.
      name: its name, without the folder.
      step: its global step.
    """

    directory: str
    folder: str
    name: str
    step: int


def stage(
    directory: str, name: str, step: int, session: Any, saver: Any, needed: Optional[int], beside: Dict[str, bytes]
) -> Staged:
    """Lets a saver write a checkpoint aside.

    Args:
      beside: suffix -> content of further files of the checkpoint.
      needed: how many bytes it will have, if that is known: nothing is written where the disk has less.

    Raises:
      SaveError: it can't be written; nothing of it is left.
    """
    folder = unfinished(directory, "save-{}".format(step))
    try:
        files.remove_tree(folder)
        files.make_directory(folder)
        free = files.free_bytes(directory)
        if needed is not None and free is not None and free < needed:
            raise SaveError(_cannot(directory, step, os.strerror(errno.ENOSPC), needed))
        written = saver.save(session, os.path.join(folder, name), write_state=False)
        if written is None:
            raise SaveError("the checkpoint of step {} can't be written to {}: its saver has no variables".format(
                step, directory
            ))
        for suffix, content in beside.items():
            files.write(os.path.join(folder, name + suffix), content)
        return Staged(directory, folder, name, step)
    except _LOST:
        _clean(directory, folder)
        raise
    except (OSError, tf.errors.OpError) as error:
        _clean(directory, folder)
        if isinstance(error, tf.errors.OpError) and not any(each in str(error) for each in _FILE_ERRORS):
            raise
        raise SaveError(_cannot(directory, step, reason(error), needed)) from error
    except BaseException:
        _clean(directory, folder)
        raise


def publish(staged: Staged) -> str:
    """Verifies a checkpoint and moves it into its directory; returns its name there.

    A valid checkpoint that is there under the same name, from the same step, is not touched: with the same content it
    stays, else the new one gets a name with a second number.

    Raises:
      SaveError: it can't be read back, or its files can't be brought to the disk; nothing of it is left.
    """
    name, size = staged.name, None
    try:
        wrong = tensor_damage(os.path.join(staged.folder, name))
        if wrong:
            raise SaveError("the checkpoint of step {} can't be read back after it was written to {}: {}".format(
                staged.step, staged.directory, wrong
            ))
        sources = [each for each in files.names_in(staged.folder) if each.startswith(name + ".")]
        manifest = manifest_of(staged.folder, {each: each for each in sources}, staged.step)
        size = manifest.size
        final = _free_name(staged, manifest)
        if final is None:
            return name
        renamed = Manifest(staged.step, {
            final + each[len(name) :]: content for each, content in manifest.files.items()
        })
        for each in sources:
            files.sync(os.path.join(staged.folder, each))
        files.write(os.path.join(staged.folder, name + SUFFIX), renamed.as_bytes())
        _move_in(staged, sources, final)
        return final
    except OSError as error:
        raise SaveError(_cannot(staged.directory, staged.step, reason(error), size)) from error
    finally:
        _clean(staged.directory, staged.folder)


def discard(staged: Staged) -> None:
    """Removes a checkpoint that is not visible yet."""
    _clean(staged.directory, staged.folder)


def _move_in(staged: Staged, sources: List[str], final: str) -> None:
    index = staged.name + ".index"
    with marked(staged.directory, final):
        for each in [each for each in sources if each != index] + [staged.name + SUFFIX]:
            _move(staged, each, final)
        files.sync_directory(staged.directory)
        _move(staged, index, final)
        files.sync_directory(staged.directory)


def _move(staged: Staged, each: str, final: str) -> None:
    target = final + each[len(staged.name) :]
    files.move(os.path.join(staged.folder, each), os.path.join(staged.directory, target))


def _free_name(staged: Staged, manifest: Manifest) -> Optional[str]:
    """Returns the name that the checkpoint gets; None if the same one is there already."""
    name, number = staged.name, 1
    while files_of(staged.directory, name):
        prefix = os.path.join(staged.directory, name)
        if damage(prefix):
            remove_checkpoint(staged.directory, name)
            break
        if number == 1 and files.exists(prefix + SUFFIX) and _values(read_manifest(prefix)) == _values(manifest):
            return None
        number += 1
        name = "{}-{}".format(staged.name, number)
    return name


def _values(manifest: Manifest) -> Dict[str, files.Content]:
    """Returns the files with the values; the same graph is written with its attributes in any order."""
    return {name: content for name, content in manifest.files.items() if not name.endswith(".meta")}


def remove_checkpoint(directory: str, name: str) -> None:
    """Removes the files of a checkpoint: its index first, so that it is never seen in part."""
    with marked(directory, name):
        for each in files_of(directory, name):
            files.remove(os.path.join(directory, each))


def _clean(directory: str, folder: str) -> None:
    """Removes a folder of unfinished work, what marks belong to, and the place for such folders."""
    try:
        files.remove_tree(folder)
        remove_unfinished(directory)
    except (OSError, tf.errors.OpError):  # such as a disk that was unmounted: the error that led here says more
        pass


def reason(error: Exception) -> str:
    """Returns why a file can't be written, in few words."""
    if isinstance(error, OSError) and error.strerror:
        return error.strerror
    return next((each for each in _FILE_ERRORS if each in str(error)), first_line(error))


def _cannot(directory: str, step: int, why: str, needed: Optional[int]) -> str:
    free = files.free_bytes(directory)
    figures = [] if needed is None else ["it needs {:,} bytes".format(needed)]
    figures += [] if free is None else ["{:,} bytes are free".format(free)]
    return "the checkpoint of step {} can't be written to {}: {}{}".format(
        step, directory, why, " ({})".format(", ".join(figures)) if figures else ""
    )
