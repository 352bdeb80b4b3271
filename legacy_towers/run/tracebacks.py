"""Removes frames of legacy_towers from the traceback of a script's error, so that it is the one of plain python."""
import importlib
import os
import types
from typing import FrozenSet, List, Optional

from legacy_towers import compat, errors

_RUN = os.path.dirname(os.path.abspath(__file__))
_COMPAT = os.path.dirname(os.path.abspath(str(compat.__file__)))
# Files whose frames are between those of the script.
_HIDDEN = tuple(
    os.path.join(_RUN, *parts)
    for parts in (
        ("bottleneck", "watch.py"), ("dynamic_imports", ""), ("libraries", ""), ("python2", ""), ("rewriting", ""),
        ("runtime", "empty_feeds.py"), ("runtime", "graphs.py"), ("runtime", "sessions.py"),
        ("runtime", "step_limit.py"), ("__init__.py",),
        ("children.py",), ("deep_trees.py",), ("imports.py",), ("loader.py",), ("process_setup.py",),
        ("script_files.py",), ("script_finder.py",), ("shadowing.py",), ("spawned.py",), ("start.py",),
        ("tracebacks.py",), ("replaced_modules.py",),
    )
) + tuple(
    os.path.join(_COMPAT, *parts)
    for parts in (
        ("tf1", "pre_1_0", ""), ("tf1", "core", ""), ("tf1", "tree.py"), ("tf1", "missing.py"),
        # the import of TensorFlow
        ("__init__.py",), ("versions", "__init__.py"), ("versions", "loading.py"),
    )
)
_IMPORT_MACHINERY = "<frozen importlib"
# The folders of legacy_towers; compat/ is elsewhere in an editable install.
_OURS = tuple(os.path.join(os.path.dirname(os.path.abspath(str(each.__file__))), "") for each in (errors, compat))


def hidden_files() -> FrozenSet[str]:
    """Returns the files whose frames are always removed."""
    files = {path for path in _HIDDEN if path.endswith(".py")}
    for folder in _HIDDEN:
        for directory, _, names in os.walk(folder):
            files.update(os.path.join(directory, name) for name in names if name.endswith(".py"))
    return frozenset(files)


def files_of(frame: Optional[types.FrameType]) -> FrozenSet[str]:
    """Returns the files of `frame` and its callers; an empty set for None."""
    files = set()
    while frame is not None:
        files.add(frame.f_code.co_filename)
        frame = frame.f_back
    return frozenset(files)


def strip(error: BaseException, launcher: types.FrameType) -> BaseException:
    """Removes the frames of legacy_towers from the tracebacks of `error`, its causes and contexts; returns `error`.

    Args:
      error: the error of the script.
      launcher: the frame that executes the script; it and its callers are removed.
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
    # The message of a UserError is complete: the traceback ends at the script's line.
    while is_our_error and len(kept) > 1 and _is_within_ours(kept[-1]):
        kept.pop()
    rebuilt = None
    for entry in reversed(kept):
        rebuilt = types.TracebackType(rebuilt, entry.tb_frame, entry.tb_lasti, entry.tb_lineno)
    return rebuilt


def _is_within_ours(entry: types.TracebackType) -> bool:
    path = entry.tb_frame.f_code.co_filename
    # Symbols are imported by importlib.import_module.
    return path.startswith(_OURS + (_IMPORT_MACHINERY,)) or path == importlib.__file__


def _is_ours(entries: List[types.TracebackType], number: int) -> bool:
    path = entries[number].tb_frame.f_code.co_filename
    if path.startswith(_HIDDEN):
        return True
    if not path.startswith(_IMPORT_MACHINERY):
        return False
    # Python hides its import machinery, but not if a frame of legacy_towers follows.
    while number < len(entries) and entries[number].tb_frame.f_code.co_filename.startswith(_IMPORT_MACHINERY):
        number += 1
    return number < len(entries) and entries[number].tb_frame.f_code.co_filename.startswith(_HIDDEN)
