"""Files of a script that shadow modules of Python: `queue.py`, `parser.py`, `random.py`.

A script imports its own file, as with python, although legacy_towers has already imported Python's module.
"""
import contextlib
import importlib
import os
import sys
import types
from typing import Any, Dict, Iterator, Set

# Modules that the interpreter imports at its start: a script's file of this name is never imported.
_IMPORTED_AT_START = frozenset(
    "abc codecs encodings genericpath importlib io ntpath os posixpath site stat sys warnings zipimport".split()
)


def unload_shadowed(folder: str) -> None:
    """Removes the modules from sys.modules that files in `folder`, the script's, shadow."""
    for name in _modules_in(folder) - _IMPORTED_AT_START:
        loaded = sys.modules.get(name)
        file = getattr(loaded, "__file__", None)
        if loaded is None or file is None or os.path.realpath(file).startswith(os.path.realpath(folder) + os.sep):
            continue
        for other in list(sys.modules):
            if other == name or other.startswith(name + "."):
                del sys.modules[other]


@contextlib.contextmanager
def hidden(folder: str) -> Iterator[None]:
    """Hides the modules in `folder`, the script's, from imports of legacy_towers, which need Python's modules.

    Afterwards the script imports its own modules again.
    """
    names = _modules_in(folder) - _IMPORTED_AT_START
    path = list(sys.path)

    def unload() -> Dict[str, types.ModuleType]:
        found = [name for name in list(sys.modules) if name.split(".")[0] in names]
        return {name: sys.modules.pop(name) for name in found}

    before = unload()
    sys.path[:] = [each for each in path if os.path.realpath(each) != os.path.realpath(folder)]
    try:
        yield
    finally:
        sys.path[:] = path
        unload()
        sys.modules.update(before)


def loaded(module: str, folder: str) -> Any:
    """Returns a module of legacy_towers, which is imported when it is first needed.

    Args:
      module: its full name.
      folder: the script's, whose modules it does not get.
    """
    if module not in sys.modules:
        with hidden(folder):
            importlib.import_module(module)
    return sys.modules[module]


def without_own(replaced: Dict[str, str], folder: str) -> Dict[str, str]:
    """Returns `replaced` without the modules that `folder`, the script's, has itself."""
    own = _modules_in(folder)
    return {name: module for name, module in replaced.items() if name.split(".")[0] not in own}


def _modules_in(folder: str) -> Set[str]:
    try:
        entries = os.listdir(folder)
    except OSError:
        return set()
    files = {entry[: -len(".py")] for entry in entries if entry.endswith(".py") and not entry.startswith("__")}
    packages = {entry for entry in entries if os.path.exists(os.path.join(folder, entry, "__init__.py"))}
    return files | packages
