"""Processes that multiprocessing spawns load the script's modules as their parent does.

A spawned process is a new Python. It unpickles sys.path, then loads the script as `__mp_main__`, and then unpickles the
function to run. So the folder of the script on sys.path is a `Folder`, which starts the script's run when it is
unpickled. The start methods `spawn` and `forkserver`, and joblib's, all send sys.path.
"""
import argparse
import importlib.machinery
import os
import sys
from typing import Any, List, Optional

from legacy_towers.compat.tf1 import user_script
from legacy_towers.run import loader, process_setup, script_finder
from legacy_towers.run.runtime.symbols import SYMBOLS


class Folder(str):
    """A folder on sys.path; unpickling it in a spawned process starts the run of the script there."""

    def __reduce__(self) -> Any:
        run = user_script.running()
        contexts = sys.modules.get("multiprocessing.context")
        if run is None or contexts is None or contexts.get_spawning_popen() is None:  # not for a spawned process
            return str, (str(self),)
        return _start_run, (str(self), run.script, run.roots, _without_report(run.options), run.is_python_2)


def _without_report(options: Optional[argparse.Namespace]) -> Optional[argparse.Namespace]:
    # There is one report, of the script itself.
    return None if options is None else argparse.Namespace(**dict(vars(options), report=None))


def _start_run(
    folder: str, script: str, roots: List[str], options: Optional[argparse.Namespace], is_python_2: bool
) -> str:
    """Starts the run of `script` in this process and returns `folder` for sys.path."""
    if user_script.running() is None:
        run = user_script.ScriptRun(script, roots[0], options, SYMBOLS)
        for each in roots[1:]:
            run.add_root(each)
        run.is_python_2 = is_python_2
        finder = process_setup.begin(run)
        if options is not None:
            from legacy_towers.run.runtime import options as runtime_options

            finder.run.lasting.enter_context(runtime_options.prepare(options, run))
        sys.path_hooks.append(lambda path: _MainFinder(path, finder))
    return Folder(folder)


class _MainFinder:
    """Finds `__main__` in the file of the script, which runpy puts on sys.path.

    Args:
      path: the entry of sys.path.
      finder: the finder of the script's modules.

    Raises:
      ImportError: `path` is not a file of the script.
    """

    def __init__(self, path: str, finder: loader.ScriptFinder) -> None:
        if not os.path.isfile(path) or not finder.run.owns(path):
            raise ImportError("not a file of the script", path=path)
        self._path = path
        self._finder = finder

    def find_spec(self, fullname: str, target: Any = None) -> Any:
        if fullname != "__main__":
            return None
        if self._path in sys.path:  # added by runpy
            sys.path.remove(self._path)
        own = script_finder.ScriptLoader(fullname, self._path, self._finder)
        # With a name, processes that this one spawns would import a module of that name instead of loading the file.
        nameless: Any = None
        return importlib.machinery.ModuleSpec(nameless, own, origin=self._path)
