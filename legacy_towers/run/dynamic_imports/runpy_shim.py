"""runpy, whose `run_path` loads the script's files as its import statements do."""
import os
import runpy
import sys
import types
from typing import Any, Dict, List, Optional

from legacy_towers.run import script_finder


def run_path(path_name: str, init_globals: Optional[Dict[str, Any]] = None, run_name: Optional[str] = None) -> Any:
    """runpy.run_path; a file of the script imports TensorFlow 1.x."""
    finder = script_finder.installed()
    if finder is None or not os.path.isfile(path_name) or not finder.run.owns(path_name):
        return runpy.run_path(path_name, init_globals, run_name)
    name = "<run_path>" if run_name is None else run_name
    module = types.ModuleType(name)
    own = script_finder.ScriptLoader(name, path_name, finder)
    module.__dict__.update(init_globals or {}, __file__=path_name, __loader__=own, __package__=name.rpartition(".")[0])
    argv0, before = sys.argv[0], sys.modules.get(name)
    sys.argv[0], sys.modules[name] = path_name, module
    try:
        exec(own.get_code(name), module.__dict__)
    finally:
        sys.argv[0] = argv0
        if before is None:
            sys.modules.pop(name, None)
        else:
            sys.modules[name] = before
    return dict(module.__dict__)


def __getattr__(name: str) -> Any:
    return getattr(runpy, name)


def __dir__() -> List[str]:
    return dir(runpy)
