"""The traceback of a script's error as python itself would show it: from the script's first line on, without ours."""
import importlib
import os
import types
from typing import FrozenSet, List, Optional

from legacy_towers import compat, errors

_HERE = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
# Code of these files stands between the script's lines where python itself has none.
_HIDDEN = tuple(
    os.path.join(_HERE, *parts)
    for parts in (
        ("before_one", ""), ("bottleneck", "watch.py"), ("changed", ""), ("launch", ""), ("machine", "graphs.py"),
        ("machine", "sessions.py"), ("machine", "steps.py"), ("tree.py",), ("missing.py",),
    )
) + tuple(  # the import of TensorFlow
    os.path.join(os.path.dirname(os.path.abspath(str(compat.__file__))), name) for name in ("__init__.py", "door.py")
)
_IMPORT_MACHINERY = "<frozen importlib"
# All that is ours; compat/ lies elsewhere in an editable install.
_OURS = tuple(os.path.join(os.path.dirname(os.path.abspath(str(each.__file__))), "") for each in (errors, compat))


def hidden_files() -> FrozenSet[str]:
    """Returns the files whose frames are left out wherever they stand."""
    files = {path for path in _HIDDEN if path.endswith(".py")}
    for folder in _HIDDEN:
        for directory, _, names in os.walk(folder):
            files.update(os.path.join(directory, name) for name in names if name.endswith(".py"))
    return frozenset(files)


def files_of(frame: Optional[types.FrameType]) -> FrozenSet[str]:
    """Returns the files of `frame` and of all that called it; none where it is None."""
    files = set()
    while frame is not None:
        files.add(frame.f_code.co_filename)
        frame = frame.f_back
    return frozenset(files)


def strip(error: BaseException, launcher: types.FrameType) -> BaseException:
    """Takes our frames out of the traceback of `error` and of the errors that it came from, and returns it.

    Args:
      error: as it came out of the script.
      launcher: the frame that ran the script: it, and what lies before it, is left out.
    """
    seen = set()
    waiting: List[Optional[BaseException]] = [error]
    while waiting:
        current = waiting.pop()
        if current is None or id(current) in seen:
            continue
        seen.add(id(current))
        current.__traceback__ = _without_ours(current.__traceback__, launcher, isinstance(current, errors.UserError))
        waiting += [current.__cause__, current.__context__]
    return error


def _without_ours(
    first: Optional[types.TracebackType], launcher: types.FrameType, is_our_error: bool
) -> Optional[types.TracebackType]:
    entries: List[types.TracebackType] = []
    while first is not None:
        if first.tb_frame is launcher:
            entries = []
        else:
            entries.append(first)
        first = first.tb_next
    kept = [entry for number, entry in enumerate(entries) if not _is_ours(entries, number)]
    # Our own errors are sentences: where in our code they were written tells the user nothing.
    while is_our_error and len(kept) > 1 and _is_within_ours(kept[-1]):
        kept.pop()
    rebuilt = None
    for entry in reversed(kept):
        rebuilt = types.TracebackType(rebuilt, entry.tb_frame, entry.tb_lasti, entry.tb_lineno)
    return rebuilt


def _is_within_ours(entry: types.TracebackType) -> bool:
    path = entry.tb_frame.f_code.co_filename
    # provided.load imports by importlib.import_module.
    return path.startswith(_OURS + (_IMPORT_MACHINERY,)) or path == importlib.__file__


def _is_ours(entries: List[types.TracebackType], number: int) -> bool:
    path = entries[number].tb_frame.f_code.co_filename
    if path.startswith(_HIDDEN):
        return True
    if not path.startswith(_IMPORT_MACHINERY):
        return False
    # Python hides its import machinery by itself, but not where a frame of ours follows.
    while number < len(entries) and entries[number].tb_frame.f_code.co_filename.startswith(_IMPORT_MACHINERY):
        number += 1
    return number < len(entries) and entries[number].tb_frame.f_code.co_filename.startswith(_HIDDEN)
