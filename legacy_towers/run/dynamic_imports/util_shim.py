"""importlib.util, whose functions find and load the script's files as its import statements do."""
import importlib
import importlib.util
from typing import Any, List, Optional

from legacy_towers.compat.tf1 import tree
from legacy_towers.run import script_finder
from legacy_towers.run.dynamic_imports import importlib_shim


def spec_from_file_location(name: str, location: Any = None, **keywords: Any) -> Any:
    """importlib.util.spec_from_file_location; the spec of a file of the script has a `ScriptLoader`."""
    spec = importlib.util.spec_from_file_location(name, location, **keywords)
    finder = script_finder.installed()
    return finder.with_own_loader(spec) if finder is not None else spec


def find_spec(name: str, package: Optional[str] = None) -> Any:
    """importlib.util.find_spec; finds the submodules of tensorflow that the script's import statements do."""
    replacement = importlib_shim.replacement(name)
    if replacement == name or name == tree.ROOT:
        return importlib.util.find_spec(name, package)
    try:
        importlib.import_module(replacement)
    except ModuleNotFoundError:
        return None
    return importlib.util.spec_from_loader(name, None, is_package=True)


def __getattr__(name: str) -> Any:
    return getattr(importlib.util, name)


def __dir__() -> List[str]:
    return dir(importlib.util)
