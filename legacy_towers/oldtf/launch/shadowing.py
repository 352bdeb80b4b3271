"""Files of a script whose names are those of modules of Python's own: `queue.py`, `parser.py`, `random.py`.

They win, as they do with python, although the launcher has imported Python's own of that name already.
"""
import os
import sys
from typing import Dict, Set

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
