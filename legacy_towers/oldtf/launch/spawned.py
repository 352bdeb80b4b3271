"""Processes that multiprocessing spawns: they load the script's modules as the process does that spawned them.

A spawned process is a new Python. It is sent sys.path first, then loads the script anew as `__mp_main__`, and only then
is sent what to run. So the folder of the script on sys.path is a `Folder`, which begins the script's run where it is
received. The ways `spawn` and `forkserver`, and joblib's own, all send sys.path.
"""
import argparse
import importlib.abc
import importlib.machinery
import os
import sys
from typing import Any, List, Optional

from legacy_towers.oldtf import current
from legacy_towers.oldtf.launch import beginning, loader


class Folder(str):
    """A folder on sys.path; a process that is spawned begins the run of the script as it receives it."""

    def __reduce__(self) -> Any:
        run = current.running()
        contexts = sys.modules.get("multiprocessing.context")
        if run is None or contexts is None or contexts.get_spawning_popen() is None:  # pickled for something else
            return str, (str(self),)
        return _received, (str(self), run.script, run.roots, _of_child(run.options), run.is_python_2)


def _of_child(options: Optional[argparse.Namespace]) -> Optional[argparse.Namespace]:
    # The report is that of the script itself.
    return None if options is None else argparse.Namespace(**dict(vars(options), report=None))


def _received(
    folder: str, script: str, roots: List[str], options: Optional[argparse.Namespace], is_python_2: bool
) -> str:
    """Begins the run of `script` in this process, and returns `folder` as sys.path has it."""
    if current.running() is None:
        run = current.ScriptRun(script, roots[0], options)
        for each in roots[1:]:
            run.add_root(each)
        run.is_python_2 = is_python_2
        finder = beginning.begin(run)
        if options is not None:
            from legacy_towers.oldtf.machine import options as machine_options

            finder.lasting.enter_context(machine_options.prepare(options, run))
        sys.path_hooks.append(lambda path: _MainFinder(path, finder))
    return Folder(folder)


class _MainFinder(importlib.abc.PathEntryFinder):
    """Finds the script's `__main__` in its file, which runpy takes for a folder on sys.path where a finder does so.

    Args:
      path: the entry of sys.path.

    Raises:
      ImportError: it is no file of the script's.
    """

    def __init__(self, path: str, finder: loader.ScriptFinder) -> None:
        if not os.path.isfile(path) or not finder.run.owns(path):
            raise ImportError("no file of the script", path=path)
        self._path = path
        self._finder = finder

    def find_spec(self, fullname: str, target: Any = None) -> Any:
        if fullname != "__main__":
            return None
        if self._path in sys.path:  # runpy has put it there
            sys.path.remove(self._path)
        own = loader.ScriptLoader(fullname, self._path, self._finder)
        # Without a name: what this process spawns itself shall load the file again, and not look for a module.
        nameless: Any = None
        return importlib.machinery.ModuleSpec(nameless, own, origin=self._path)
