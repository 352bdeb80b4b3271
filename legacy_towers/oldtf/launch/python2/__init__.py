"""Scripts that were written for Python 2.

`syntax` makes Python 3 of a file that only Python 2 can read. `rewrite` sends Python 2's names, in the syntax tree, to
`runtime`; and so it does, where a whole file is Python 2, with what meant something else there (`/` of two ints,
`dict.keys()` as a list).
"""
import ast
import os
import re
import sys
from typing import Any, FrozenSet, Optional

from legacy_towers.oldtf import current
from legacy_towers.oldtf.current import Notice, Place, ScriptRun
from legacy_towers.oldtf.launch import shadowing
from legacy_towers.oldtf.launch.python2.rewrite import OldNames

_HERE = __name__
# What Python 3 says of text that is Python 2's.
_OF_PYTHON_2 = re.compile(
    "Missing parentheses in call to|multiple exception types must be|leading zeros in decimal|inconsistent use of tabs"
)


def read(source: bytes, path: str, run: ScriptRun, in_package: bool, says: bool = True) -> ast.Module:
    """Returns the syntax tree of a file of the script's, what is Python 2 in it rewritten.

    A file is Python 2 as a whole where Python 3 can't read it; with it, if it is the script itself, or with --py2, all
    that the script imports from its own files.

    Args:
      source: the bytes of the file.
      path: of the file, as tracebacks show it.
      run: of the script.
      in_package: whether it is a module of a package.
      says: whether to say that the file is Python 2; not where it is read again.
    """
    tree: Any = None
    problem: Optional[Exception] = None
    if not run.is_python_2:
        try:
            tree = _parsed(source, path)
            problem = _print_statement(tree)
        except (SyntaxError, ValueError) as error:
            problem = error
        tree = None if problem is not None else tree
    translated = None
    if tree is None:
        translated = _syntax(run).translate(source, path)
    if translated is None:
        if tree is None and says and (run.is_python_2 or looks_like_python_2(problem)):
            _say_no_python_2(source, path, run)
        tree = _parsed(source, path) if tree is None else tree
        true_division, absolute = True, True
    else:
        tree, true_division, absolute = translated
        if problem is not None and says:
            _say_whole(run, path, problem)
    siblings = _siblings(path) if in_package and not absolute else frozenset()

    def tell(name: str, meaning: str, line: int) -> None:
        meaning = "Python 2's" if not meaning or meaning.startswith(_HERE) else meaning
        run.notice(Notice(Place(run.shown(path), line), name, meaning))

    return OldNames(tree, translated is not None, true_division, tell, siblings).rewrite(tree)


def _syntax(run: ScriptRun) -> Any:
    """Returns the module `syntax`, which is imported when it is first needed: few scripts are Python 2."""
    loaded = sys.modules.get(_HERE + ".syntax")
    if loaded is None:
        with shadowing.left_out(run.root):
            from legacy_towers.oldtf.launch.python2 import syntax

            syntax.load()
            loaded = syntax
    return loaded


def looks_like_python_2(problem: Optional[Exception]) -> bool:
    """Returns whether `problem`, of Python 3's parser, is about something that Python 2 had."""
    return _OF_PYTHON_2.match(str(getattr(problem, "msg", ""))) is not None


def _parsed(source: bytes, path: str) -> Any:
    # As ast.parse, without its line in the traceback of what can't be parsed.
    return compile(source, path, "exec", ast.PyCF_ONLY_AST, dont_inherit=True)


def _print_statement(tree: ast.Module) -> Optional[SyntaxError]:
    """Returns what is wrong with a print statement that Python 3 reads as something else, None if there is none.

    `print >>file, x` is a shift there, `print ("x"), y` a tuple, and `print ("%d") % 3` the rest of a None.
    """
    found = None
    for node in ast.walk(tree):
        if isinstance(node, ast.ImportFrom) and any(alias.name == "print_function" for alias in node.names):
            return None
        if isinstance(node, ast.Call) and _is_print(node.func) and node.keywords:  # print(x, end="")
            return None
        if found is None and isinstance(node, ast.Expr) and _is_print_statement(node.value):
            found = SyntaxError("a print statement", ("", node.lineno, 0, ""))
    return found


def _is_print_statement(value: ast.expr) -> bool:
    parts = value.elts if isinstance(value, ast.Tuple) and value.elts else [value]
    first = parts[0]
    if isinstance(first, ast.BinOp):
        shifts = isinstance(first.op, ast.RShift) and _is_print(first.left)
        return shifts or isinstance(first.op, ast.Mod) and _is_print_call(first.left)
    # `print(x), flush()` is two calls in Python 3, and `print(x),` one.
    others = [part for part in parts[1:] if not isinstance(part, ast.Call)]
    return _is_print_call(first) and len(parts) > 1 and len(others) == len(parts) - 1


def _is_print(node: ast.AST) -> bool:
    return isinstance(node, ast.Name) and node.id == "print"


def _is_print_call(node: ast.AST) -> bool:
    return isinstance(node, ast.Call) and _is_print(node.func)


def _say_whole(run: ScriptRun, path: str, problem: Any) -> None:
    is_first = run.files == [path]
    where = "{}:{}".format(run.shown(path), problem.lineno) if getattr(problem, "lineno", None) else run.shown(path)
    if is_first:
        run.is_python_2 = True
    also = " with all that it imports from its own files" if is_first else ""
    current.say("{}: taken for Python 2{}: {}".format(where, also, problem.msg))


def _say_no_python_2(source: bytes, path: str, run: ScriptRun) -> None:
    """Says what keeps a file from being Python 2; what Python 3 says of it, which follows, is beside the point."""
    try:
        _parsed(source, path)
    except (SyntaxError, ValueError):
        line, why = _syntax(run).problem(source, path)
        where = "{}:{}".format(run.shown(path), line) if line is not None else run.shown(path)
        current.say("{}: neither Python 2 nor Python 3: {}".format(where, why))


def _siblings(path: str) -> FrozenSet[str]:
    """Returns the modules in the folder of the file at `path`."""
    folder = os.path.dirname(os.path.abspath(path))
    found = set()
    for name in os.listdir(folder):
        if name.endswith(".py"):
            found.add(name[: -len(".py")])
        elif os.path.exists(os.path.join(folder, name, "__init__.py")):
            found.add(name)
    return frozenset(found - {"__init__"})
