"""importlib as the modules of a script see it: what they import by its name is what an import statement gives them.

All but `import_module` is importlib's own; `import_name`, `code` and `parsed` are called by what `imports` writes.
"""
import ast
import builtins
import importlib
import sys
from typing import Any, List, Optional

from legacy_towers.oldtf import tree
from legacy_towers.oldtf.launch import VIEWS, loader


def import_module(name: str, package: Optional[str] = None) -> Any:
    """importlib.import_module, with the tree in place of tensorflow."""
    return importlib.import_module(_instead(name), package)


def import_name(
    name: str, globals: Any = None, locals: Any = None, fromlist: Any = (), level: int = 0  # noqa: A002
) -> Any:
    """__import__, with the tree in place of tensorflow."""
    instead = _instead(name) if level == 0 else name
    if instead == name:
        return builtins.__import__(name, globals, locals, fromlist, level)
    module = importlib.import_module(instead)
    if not fromlist:
        return sys.modules[tree.IMPORTED_AS]
    for wanted in fromlist:
        if wanted != "*" and not hasattr(module, wanted):
            importlib.import_module("{}.{}".format(instead, wanted))
    return module


def code(text: Any) -> Any:
    """Returns what exec() runs in place of `text`: its code, with its imports sent to the tree."""
    instead = parsed(text)
    return text if instead is text else compile(instead, "<string>", "exec", dont_inherit=True)


def parsed(text: Any) -> Any:
    """Returns what compile() reads in place of `text`; what imports nothing, or is no Python, is left as it is."""
    finder = loader.installed()
    if finder is None or not isinstance(text, (str, bytes)):
        return text
    if ("import" if isinstance(text, str) else b"import") not in text:  # type: ignore[operator]
        return text
    try:
        return finder.rewritten(ast.parse(text))
    except (SyntaxError, ValueError):
        return text


def __getattr__(name: str) -> Any:
    if name == "util":
        return importlib.import_module(VIEWS["importlib.util"])
    if not hasattr(importlib, name) and not name.startswith("_"):
        try:
            return importlib.import_module("importlib." + name)
        except ModuleNotFoundError:
            pass
    return getattr(importlib, name)


def __dir__() -> List[str]:
    return dir(importlib)


def _instead(name: str) -> str:
    finder = loader.installed()
    served = finder is not None and tree.ROOT in finder.trees
    if served and isinstance(name, str) and (name == tree.ROOT or name.startswith(tree.ROOT + ".")):
        return tree.IMPORTED_AS + name[len(tree.ROOT) :]
    return name
