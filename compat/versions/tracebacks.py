"""The line of the user's code that made an operation, or that is running."""
import linecache
import os
import re
import sys
import sysconfig
import traceback
from typing import Any, Iterable, List

from legacy_towers import errors
from legacy_towers.compat import versions
from legacy_towers.compat.versions import tf
from legacy_towers.compat.versions.statements import statement_in_one_line

_PACKAGED = re.compile(r"[/\\](?:site|dist)-packages[/\\]([^/\\]+)")
# tf_slim is tf.contrib.slim on TensorFlow 2.
_LIBRARIES = ("keras", "tf_keras", "tensorflow_estimator", "tf_slim")


def user_line(operation: Any) -> str:
    """Returns "train.py, line 31, in main: x = it.get_next()"; "" if no frame is the user's.

    The frame is the innermost one outside TensorFlow, Keras, this package and Python's standard library. A statement of
    several lines is written as one, which ends in "..." if it is long.

    `Operation.traceback` is a tuple of tuples on TF 1.15, and a StackTrace of frames without text on 2.21; both have
    file, line and function by position (tried on 1.15 and 2.21).
    """
    return _described(_innermost(operation.traceback or ()))


def user_place(operation: Any) -> str:
    """Returns "train.py:31", the place of this line, relative to the working directory; "" without one."""
    frame = _innermost(operation.traceback or ())
    if frame is None:
        return ""
    folder = os.path.join(os.getcwd(), "")
    path = os.path.abspath(frame[0])
    return "{}:{}".format(path[len(folder):] if path.startswith(folder) else path, frame[1])


def text_of_user_line(operation: Any) -> str:
    """Returns the text of this line alone, of a statement of several lines too: "x = it.get_next()"; "" without one."""
    frame = _innermost(operation.traceback or ())
    return "" if frame is None else linecache.getline(frame[0], frame[1]).strip()


def calling_line() -> str:
    """Returns the same as `user_line` for the running code: the line of the user's that has led to this call."""
    return _described(_innermost(traceback.extract_stack()))


def line_of_thread(identifier: int) -> str:
    """Returns the same as `user_line` for the thread of an identifier; "" if it has ended."""
    frame = sys._current_frames().get(identifier)
    return "" if frame is None else _described(_innermost(traceback.extract_stack(frame)))


def _innermost(frames: Iterable[Any]) -> Any:
    """Returns the innermost frame of the user's; None without one."""
    folders = _foreign_folders()
    for frame in reversed(list(frames)):
        path = frame[0]
        if not path.startswith("<") and not _is_foreign(os.path.abspath(path), folders):
            return frame
    return None


def _described(frame: Any) -> str:
    if frame is None:
        return ""
    path, line, function = frame[0], frame[1], frame[2]
    text = statement_in_one_line(linecache.getlines(path), line)
    where = "{}, line {}{}".format(path, line, "" if function == "<module>" else ", in " + function)
    return "{}: {}".format(where, text) if text else where


def _is_foreign(path: str, folders: List[str]) -> bool:
    if any(path.startswith(folder + os.sep) for folder in folders):
        return True
    package = _PACKAGED.search(path)
    if package is not None:
        return package.group(1) in _LIBRARIES
    return any(path.startswith(sysconfig.get_paths()[key] + os.sep) for key in ("stdlib", "platstdlib"))


def _foreign_folders() -> List[str]:
    """Returns the folders of TensorFlow (1.15's is tensorflow_core) and of this package."""
    operations = sys.modules[tf.Graph.__module__].__file__  # tensorflow/python/framework/ops.py
    tensorflow = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(str(operations)))))
    compat = os.path.dirname(os.path.dirname(os.path.abspath(str(versions.__file__))))
    return [tensorflow, os.path.dirname(os.path.abspath(str(errors.__file__))), compat]
