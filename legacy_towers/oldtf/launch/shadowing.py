"""Files of a script whose names are those of modules of Python's own: `queue.py`, `parser.py`, `random.py`.

They win, as they do with python, although the launcher has imported Python's own of that name already.
"""
import contextlib
import os
import sys
import types
from typing import Dict, Iterator, Set

# What the interpreter itself has imported before any script: a script's file of this name is never found.
_FIRST = frozenset(
    "abc codecs encodings genericpath importlib io ntpath os posixpath site stat sys warnings zipimport".split()
)


def give_way(folder: str) -> None:
    """Forgets the modules that were imported from elsewhere and lie in `folder`, the script's."""
    for name in _modules_in(folder) - _FIRST:
        loaded = sys.modules.get(name)
        file = getattr(loaded, "__file__", None)
        if loaded is None or file is None or os.path.realpath(file).startswith(os.path.realpath(folder) + os.sep):
            continue
        for other in list(sys.modules):
            if other == name or other.startswith(name + "."):
                del sys.modules[other]


@contextlib.contextmanager
def left_out(folder: str) -> Iterator[None]:
    """Lets imports find nothing in `folder`, the script's, while it lasts: what we import late needs Python's own.

    The script finds its own modules afterwards as it would have before.
    """
    names = _modules_in(folder) - _FIRST
    path = list(sys.path)

    def take_out() -> Dict[str, types.ModuleType]:
        found = [name for name in sys.modules if name.split(".")[0] in names]
        return {name: sys.modules.pop(name) for name in found}

    before = take_out()
    sys.path[:] = [each for each in path if os.path.realpath(each) != os.path.realpath(folder)]
    try:
        yield
    finally:
        sys.path[:] = path
        take_out()
        sys.modules.update(before)


def without_own(views: Dict[str, str], folder: str) -> Dict[str, str]:
    """Returns the views that stand for modules of Python's or of a library, not for the script's of the same name."""
    own = _modules_in(folder)
    return {name: view for name, view in views.items() if name.split(".")[0] not in own}


def _modules_in(folder: str) -> Set[str]:
    try:
        entries = os.listdir(folder)
    except OSError:
        return set()
    files = {entry[: -len(".py")] for entry in entries if entry.endswith(".py") and not entry.startswith("__")}
    packages = {entry for entry in entries if os.path.exists(os.path.join(folder, entry, "__init__.py"))}
    return files | packages
