"""The base class of the finder of a script's modules, and access to the installed finder.

`loader` implements and installs the finder. The shims of `dynamic_imports`, which `loader` depends on, load more files
of the script through `installed()`.
"""
import ast
import importlib.machinery
import sys
from typing import Any, Dict, Optional

from legacy_towers.compat.tf1.user_script import ScriptRun


class Finder:
    """Finds the modules of a script.

    Args:
      run: the run of the script, which knows the script's files.
      packages, modules: the replaced imports, see `imports.Imports`.
    """

    def __init__(self, run: ScriptRun, packages: Dict[str, str], modules: Dict[str, str]) -> None:
        self.run = run
        self.packages = packages
        self.modules = modules

    def with_own_loader(self, spec: Any) -> Any:
        """Returns `spec`, with a `ScriptLoader` if it is a Python file of the user."""
        raise NotImplementedError

    def compile(self, source: bytes, path: str, package: str = "") -> Any:
        """Returns the code object of a rewritten file.

        Args:
          source: the bytes of the file.
          path: the path of the file.
          package: the package of the module; "" if it is in none.
        """
        raise NotImplementedError

    def rewritten(self, module: ast.AST) -> Any:
        """Returns the syntax tree `module` with rewritten imports, methods and arithmetic."""
        raise NotImplementedError


class ScriptLoader(importlib.machinery.SourceFileLoader):
    """Loads one file of the user; `finder` compiles it."""

    def __init__(self, fullname: str, path: str, finder: Finder) -> None:
        super().__init__(fullname, path)
        self._finder = finder

    def get_code(self, fullname: str) -> Any:
        """Returns the code object, always compiled from the source."""
        path = self.get_filename(fullname)
        package = fullname if self.is_package(fullname) else fullname.rpartition(".")[0]
        return self._finder.compile(self.get_data(path), path, package)


def installed() -> Optional[Finder]:
    """Returns the finder of the running script, None if no script runs."""
    for finder in sys.meta_path:
        if isinstance(finder, Finder):
            return finder
    return None
