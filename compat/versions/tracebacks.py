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

_PACKAGED = re.compile(r"[/\\](?:site|dist)-packages[/\\]([^/\\]+)")
# tf_slim is tf.contrib.slim on TensorFlow 2.
_LIBRARIES = ("keras", "tf_keras", "tensorflow_estimator", "tf_slim")


def user_line(operation: Any) -> str:
    """Returns "train.py, line 31, in main: x = it.get_next()"; "" if no frame is the user's.

    The frame is the innermost one outside TensorFlow, Keras, this package and Python's standard library.

    `Operation.traceback` is a tuple of tuples on TF 1.15, and a StackTrace of frames without text on 2.21; both have
    file, line and function by position (tried on 1.15 and 2.21).
    """
    return _innermost(operation.traceback or ())


def calling_line() -> str:
    """Returns the same for the code that is running: the line of the user's that has led to this call."""
    return _innermost(traceback.extract_stack())


def line_of_thread(identifier: int) -> str:
    """Returns the same for the thread of an identifier; "" if it has ended."""
    frame = sys._current_frames().get(identifier)
    return "" if frame is None else _innermost(traceback.extract_stack(frame))


def _innermost(frames: Iterable[Any]) -> str:
    folders = _foreign_folders()
    for frame in reversed(list(frames)):
        path, line, function = frame[0], frame[1], frame[2]
        if path.startswith("<") or _is_foreign(os.path.abspath(path), folders):
            continue
        text = linecache.getline(path, line).strip()
        where = "{}, line {}{}".format(path, line, "" if function == "<module>" else ", in " + function)
        return "{}: {}".format(where, text) if text else where
    return ""


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
