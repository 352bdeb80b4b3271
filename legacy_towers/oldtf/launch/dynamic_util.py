"""importlib.util as the modules of a script see it: a file of theirs is loaded like one that they import."""
import importlib
import importlib.util
from typing import Any, List, Optional

from legacy_towers.oldtf import tree
from legacy_towers.oldtf.launch import dynamic, loader


def spec_from_file_location(name: str, location: Any = None, **keywords: Any) -> Any:
    """importlib.util.spec_from_file_location, for files of the script's with the loader of its modules."""
    spec = importlib.util.spec_from_file_location(name, location, **keywords)
    finder = loader.installed()
    return finder.with_own_loader(spec) if finder is not None else spec


def find_spec(name: str, package: Optional[str] = None) -> Any:
    """importlib.util.find_spec, which finds the modules below tensorflow that an import statement would."""
    instead = dynamic.instead_of(name)
    if instead == name or name == tree.ROOT:
        return importlib.util.find_spec(name, package)
    try:
        importlib.import_module(instead)
    except ModuleNotFoundError:
        return None
    return importlib.util.spec_from_loader(name, None, is_package=True)


def __getattr__(name: str) -> Any:
    return getattr(importlib.util, name)


def __dir__() -> List[str]:
    return dir(importlib.util)
