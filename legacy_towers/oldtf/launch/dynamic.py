"""importlib as the modules of a script see it: what they import by its name is what an import statement gives them.

All but `import_module` is importlib's own; `import_name`, `code`, `expression` and `compiler` are called by what
`imports` writes.
"""
import ast
import builtins
import importlib
import sys
from typing import Any, Callable, List, Optional

from legacy_towers.oldtf.launch import VIEWS, loader, python2


def import_module(name: str, package: Optional[str] = None) -> Any:
    """importlib.import_module, with the tree in place of tensorflow."""
    return importlib.import_module(instead_of(name), package)


def import_name(
    name: str, globals: Any = None, locals: Any = None, fromlist: Any = (), level: int = 0  # noqa: A002
) -> Any:
    """__import__, with the tree in place of tensorflow."""
    instead = instead_of(name) if level == 0 else name
    if instead == name:
        return builtins.__import__(name, globals, locals, fromlist, level)
    module = importlib.import_module(instead)
    if not fromlist:
        return sys.modules[instead_of(name.partition(".")[0])]
    for wanted in fromlist:
        if wanted != "*" and not hasattr(module, wanted):
            importlib.import_module("{}.{}".format(instead, wanted))
    return module


def code(text: Any) -> Any:
    """Returns what exec() runs in place of `text`: its code, with its imports sent to the tree."""
    return _compiled(text, "exec")


def expression(text: Any) -> Any:
    """Returns what eval() runs in place of `text`."""
    return _compiled(text.lstrip(" \t") if isinstance(text, str) else text, "eval")


def compiler(function: Callable[..., Any]) -> Callable[..., Any]:
    """Returns what is called in place of `function`, which a script calls as `compile`: it may be that of `re`."""
    return _compile if function is builtins.compile else function


def parsed(text: Any, mode: str) -> Any:
    """Returns what is compiled in place of `text`, which may be a tree of its own.

    What imports nothing, or is no Python, is left as it is. What a script of Python 2 runs is Python 2.
    """
    finder = loader.installed()
    if finder is None or not isinstance(text, (str, bytes, bytearray, ast.AST)):
        return text
    if not isinstance(text, ast.AST):
        # Not the words of the text alone: a tree is made of what is compiled once for each example.
        as_text = text if isinstance(text, str) else bytes(text)
        is_old = finder.run.is_python_2 and mode == "exec"
        if not is_old and ("import" if isinstance(as_text, str) else b"import") not in as_text:  # type: ignore[operator]
            return text
        try:
            if is_old:
                source = as_text.encode("utf-8") if isinstance(as_text, str) else as_text
                text = python2.read(source, "<string>", finder.run, in_package=False, says=False)
            else:
                text = ast.parse(text, mode=mode)
        except (SyntaxError, ValueError):
            return text
    return finder.rewritten(text)


def _compile(
    source: Any, filename: Any, mode: str, flags: int = 0, dont_inherit: bool = False, optimize: int = -1, **others: Any
) -> Any:
    return compile(parsed(source, mode), filename, mode, flags, True, optimize, **others)


def _compiled(text: Any, mode: str) -> Any:
    instead = parsed(text, mode) if isinstance(text, (str, bytes, bytearray)) else text
    return text if instead is text else compile(instead, "<string>", mode, dont_inherit=True)


def __getattr__(name: str) -> Any:
    if name == "util":
        return importlib.import_module(VIEWS["importlib.util"])
    if name == "machinery":
        return importlib.import_module(VIEWS["importlib.machinery"])
    if not hasattr(importlib, name) and not name.startswith("_"):
        try:
            return importlib.import_module("importlib." + name)
        except ModuleNotFoundError:
            pass
    return getattr(importlib, name)


def __dir__() -> List[str]:
    return dir(importlib)


def instead_of(name: str) -> str:
    """Returns the name of the module that is imported where a script imports `name`."""
    finder = loader.installed()
    top, _, below = name.partition(".") if isinstance(name, str) else ("", "", "")
    if finder is None or top not in finder.trees:
        return name
    return finder.trees[top] + ("." + below if below else "")
