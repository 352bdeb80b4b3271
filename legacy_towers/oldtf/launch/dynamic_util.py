"""importlib.util as the modules of a script see it: a file of theirs is loaded like one that they import."""
import importlib.util
from typing import Any, List

from legacy_towers.oldtf.launch import loader


def spec_from_file_location(name: str, location: Any = None, **keywords: Any) -> Any:
    """importlib.util.spec_from_file_location, for files of the script's with the loader of its modules."""
    spec = importlib.util.spec_from_file_location(name, location, **keywords)
    finder = loader.installed()
    return finder.with_own_loader(spec) if finder is not None else spec


def __getattr__(name: str) -> Any:
    return getattr(importlib.util, name)


def __dir__() -> List[str]:
    return dir(importlib.util)
