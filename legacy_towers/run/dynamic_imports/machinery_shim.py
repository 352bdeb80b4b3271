"""importlib.machinery, whose SourceFileLoader loads the script's files as its import statements do."""
import importlib.machinery
from typing import Any, List

from legacy_towers.run import script_finder


def SourceFileLoader(fullname: str, path: str) -> Any:  # noqa: N802
    """Returns the loader of the file at `path`, a `ScriptLoader` for a file of the script."""
    finder = script_finder.installed()
    if finder is None or not finder.run.owns(path):
        return importlib.machinery.SourceFileLoader(fullname, path)
    return script_finder.ScriptLoader(fullname, path, finder)


def __getattr__(name: str) -> Any:
    return getattr(importlib.machinery, name)


def __dir__() -> List[str]:
    return dir(importlib.machinery)
