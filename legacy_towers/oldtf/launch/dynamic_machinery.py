"""importlib.machinery as the modules of a script see it: a file of theirs is loaded like one that they import."""
import importlib.machinery
from typing import Any, List

from legacy_towers.oldtf.launch import loader


def SourceFileLoader(fullname: str, path: str) -> Any:  # noqa: N802
    """importlib.machinery.SourceFileLoader, for files of the script's the loader of its modules."""
    finder = loader.installed()
    if finder is None or not finder.run.owns(path):
        return importlib.machinery.SourceFileLoader(fullname, path)
    return loader.ScriptLoader(fullname, path, finder)


def __getattr__(name: str) -> Any:
    return getattr(importlib.machinery, name)


def __dir__() -> List[str]:
    return dir(importlib.machinery)
