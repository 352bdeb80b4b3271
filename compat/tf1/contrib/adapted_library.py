"""Imports the files of an installed library under another name, and changes them while they are loaded.

    install("tensorflow_gan", "legacy_towers.compat.tf1.contrib.gan_library.tensorflow_gan", ...)

The files' import statements find each other under the new name, and what `Adaptation.import_other` gives for other
modules. `import tensorflow_gan` elsewhere is unchanged.
"""
import builtins
import importlib.machinery
import importlib.util
import sys
import types
from typing import Any, Callable, Dict, FrozenSet, NamedTuple, Optional, Sequence


class Adaptation(NamedTuple):
    """How a library is adapted.

    Attributes:
      theirs: the name of the installed package: "tensorflow_gan".
      ours: the name under which it is imported.
      missing: the message of the ImportError if it is not installed.
      import_other: (name, names after `from ... import`) -> the module that the library's files get for an import of
        `name`, which is not part of the library; None for the installed one.
      after: module below `ours` -> a function of the loaded module, which replaces what must differ.
      without_init: the packages below `ours` whose __init__ is not run, since it imports what is not needed.
    """

    theirs: str
    ours: str
    missing: str
    import_other: Callable[[str, Sequence[str]], Any]
    after: Dict[str, Callable[[Any], None]]
    without_init: FrozenSet[str] = frozenset()


class _Loader(importlib.machinery.SourceFileLoader):
    """Runs a file of the library with an `__import__` of its own."""

    def __init__(self, fullname: str, path: str, finder: "_Finder") -> None:
        super().__init__(fullname, path)
        self._finder = finder

    def exec_module(self, module: types.ModuleType) -> None:
        adaptation = self._finder.adaptation
        below = module.__name__[len(adaptation.ours) + 1 :]
        if below in adaptation.without_init:
            return
        module.__dict__["__builtins__"] = self._finder.builtins
        super().exec_module(module)
        if below in adaptation.after:
            adaptation.after[below](module)


class _Finder:
    """Finds the files of the library under the new name."""

    def __init__(self, adaptation: Adaptation) -> None:
        self.adaptation = adaptation
        self.builtins = dict(vars(builtins), __import__=self._import)

    def find_spec(self, fullname: str, path: Any, target: Any = None) -> Any:
        ours, theirs = self.adaptation.ours, self.adaptation.theirs
        if fullname == ours:
            installed = importlib.util.find_spec(theirs)
            if installed is None or installed.origin is None:
                raise ImportError(self.adaptation.missing)
            return importlib.util.spec_from_file_location(
                fullname,
                installed.origin,
                loader=_Loader(fullname, installed.origin, self),
                submodule_search_locations=list(installed.submodule_search_locations or ()),
            )
        if not fullname.startswith(ours + "."):
            return None
        spec = importlib.machinery.PathFinder.find_spec(fullname, path)
        if spec is not None and spec.origin is not None:
            spec.loader = _Loader(fullname, spec.origin, self)
        return spec

    def _import(
        self, name: str, globals: Any = None, locals: Any = None, fromlist: Optional[Sequence[str]] = (), level: int = 0
    ) -> Any:
        ours, theirs = self.adaptation.ours, self.adaptation.theirs
        if level == 0 and (name == theirs or name.startswith(theirs + ".")):
            found = importlib.import_module(ours + name[len(theirs) :])
            for each in fromlist or ():
                if each != "*" and not hasattr(found, each):
                    importlib.import_module(found.__name__ + "." + each)
            return found if fromlist else sys.modules[ours]
        other = self.adaptation.import_other(name, fromlist or ()) if level == 0 else None
        return builtins.__import__(name, globals, locals, fromlist or (), level) if other is None else other


def install(adaptation: Adaptation) -> None:
    """Makes the library importable under its new name; further calls have no effect."""
    if not any(isinstance(finder, _Finder) and finder.adaptation.ours == adaptation.ours for finder in sys.meta_path):
        sys.meta_path.insert(0, _Finder(adaptation))
