"""importlib, whose `import_module` imports what an import statement of the script does.

The other names are importlib's own; `import_name`, `code`, `expression` and `compiler` are called by code that
`run.imports` rewrites.
"""
import ast
import builtins
import importlib
import sys
from typing import Any, Callable, List, Optional

from legacy_towers.run import python2, script_finder


def import_module(name: str, package: Optional[str] = None) -> Any:
    """importlib.import_module; tensorflow is TensorFlow 1.x."""
    return importlib.import_module(replacement(name), package)


def import_name(
    name: str, globals: Any = None, locals: Any = None, fromlist: Any = (), level: int = 0  # noqa: A002
) -> Any:
    """__import__; tensorflow is TensorFlow 1.x."""
    replaced = replacement(name) if level == 0 else name
    if replaced == name:
        return builtins.__import__(name, globals, locals, fromlist, level)
    module = importlib.import_module(replaced)
    if not fromlist:
        return sys.modules[replacement(name.partition(".")[0])]
    for wanted in fromlist:
        if wanted != "*" and not hasattr(module, wanted):
            importlib.import_module("{}.{}".format(replaced, wanted))
    return module


def code(text: Any) -> Any:
    """Returns the code object for exec(text), with rewritten imports; `text` itself if it has none."""
    return _compiled(text, "exec")


def expression(text: Any) -> Any:
    """Returns the code object for eval(text), with rewritten imports; `text` itself if it has none."""
    return _compiled(text.lstrip(" \t") if isinstance(text, str) else text, "eval")


def compiler(function: Callable[..., Any]) -> Callable[..., Any]:
    """Returns the replacement of `function`, which a script calls by the name `compile`; re.compile is unchanged."""
    return _compile if function is builtins.compile else function


def parsed(text: Any, mode: str) -> Any:
    """Returns the rewritten syntax tree to compile in place of `text`.

    Args:
      text: source code or a syntax tree. Code that imports nothing, and code that is not valid Python, is returned
        unchanged. In a script of Python 2, it is Python 2.
      mode: "exec", "eval" or "single".
    """
    finder = script_finder.installed()
    if finder is None or not isinstance(text, (str, bytes, bytearray, ast.AST)):
        return text
    if not isinstance(text, ast.AST):
        # Only code with imports is parsed: some scripts evaluate code for each example.
        as_text = text if isinstance(text, str) else bytes(text)
        is_old = finder.run.is_python_2 and mode == "exec"
        if not is_old and ("import" if isinstance(as_text, str) else b"import") not in as_text:  # type: ignore[operator]
            return text
        try:
            if is_old:
                source = as_text.encode("utf-8") if isinstance(as_text, str) else as_text
                text = python2.read(source, "<string>", finder.run, in_package=False, reports=False)
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
    rewritten = parsed(text, mode) if isinstance(text, (str, bytes, bytearray)) else text
    return text if rewritten is text else compile(rewritten, "<string>", mode, dont_inherit=True)


def __getattr__(name: str) -> Any:
    finder = script_finder.installed()
    if finder is not None and "importlib." + name in finder.modules:
        return importlib.import_module(finder.modules["importlib." + name])
    if not hasattr(importlib, name) and not name.startswith("_"):
        try:
            return importlib.import_module("importlib." + name)
        except ModuleNotFoundError:
            pass
    return getattr(importlib, name)


def __dir__() -> List[str]:
    return dir(importlib)


def replacement(name: str) -> str:
    """Returns the module that replaces the module `name` in a script; `name` itself if it is not replaced."""
    finder = script_finder.installed()
    top, _, below = name.partition(".") if isinstance(name, str) else ("", "", "")
    if finder is None or top not in finder.packages:
        return name
    return finder.packages[top] + ("." + below if below else "")
