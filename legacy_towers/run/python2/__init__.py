"""Scripts that were written for Python 2.

`syntax` translates the syntax of a file that only Python 2 can parse. `rewrite` replaces Python 2's names by functions
of `runtime`. `constructs` does so, in a file that is Python 2, with constructs that mean something else in Python 3:
`/` of two ints, `dict.keys()` as a list.
"""
import ast
import os
import re
import sys
from typing import Any, FrozenSet, Optional

from legacy_towers.compat.tf1 import user_script
from legacy_towers.compat.tf1.user_script import Notice, ScriptRun, SourceLine
from legacy_towers.run import shadowing
from legacy_towers.run.python2 import names

_HERE = __name__
# Python 3's error messages for syntax of Python 2.
_SYNTAX_OF_PYTHON_2 = re.compile(
    "Missing parentheses in call to|multiple exception types must be|leading zeros in decimal|inconsistent use of tabs"
)


def read(source: bytes, path: str, run: ScriptRun, in_package: bool, reports: bool = True) -> ast.Module:
    """Returns the syntax tree of a file of the script, with Python 2 rewritten to Python 3.

    A file is Python 2 if Python 3 can't parse it. All files of the script are Python 2 if the script itself is, or with
    --py2.

    Args:
      source: the bytes of the file.
      path: the path of the file, as tracebacks show it.
      run: the run of the script.
      in_package: whether the file is a module of a package.
      reports: whether to report that the file is Python 2; False if it is read a second time.

    Raises:
      SyntaxError, ValueError: the file is neither Python 2 nor Python 3.
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
        if tree is None and reports and (run.is_python_2 or looks_like_python_2(problem)):
            _report_neither(source, path, run)
        tree = _parsed(source, path) if tree is None else tree
        words = names.words_of(source)
        if b"/" in source or names.mention_lists(words):
            tree = _module("certain", run).rewrite(tree)
        if not names.mention_old_names(words):
            return tree
        true_division, absolute = True, True
    else:
        tree, true_division, absolute = translated
        if problem is not None and reports:
            _report_python_2(run, path, problem)
        if reports:
            _report_ambiguous_lines(source, path, run)
    siblings = _siblings(path) if in_package and not absolute else frozenset()

    def report(name: str, replacement: str, line: int) -> None:
        replacement = "Python 2's" if not replacement or replacement.startswith(_HERE) else replacement
        run.notice(Notice(SourceLine(run.shown(path), line), name, replacement))

    rewriter = _module("rewrite", run).Python2Rewriter
    return rewriter(tree, translated is not None, true_division, report, siblings).rewrite(tree)


def _syntax(run: ScriptRun) -> Any:
    is_first = _HERE + ".syntax" not in sys.modules
    syntax = _module("syntax", run)
    if is_first:
        with shadowing.hidden(run.root):
            syntax.load()
    return syntax


def _module(name: str, run: ScriptRun) -> Any:
    """Returns the module `name` of this package, which is imported when a file first needs it."""
    return shadowing.loaded("{}.{}".format(_HERE, name), run.root)


def looks_like_python_2(problem: Optional[Exception]) -> bool:
    """Returns whether `problem`, an error of Python 3's parser, is about syntax of Python 2."""
    return _SYNTAX_OF_PYTHON_2.match(str(getattr(problem, "msg", ""))) is not None


def _parsed(source: bytes, path: str) -> Any:
    # As ast.parse, but without its frame in the traceback of a syntax error.
    return compile(source, path, "exec", ast.PyCF_ONLY_AST, dont_inherit=True)


def _print_statement(tree: ast.Module) -> Optional[SyntaxError]:
    """Returns an error for the first print statement that Python 3 parses as an expression, None if there is none.

    `print >>file, x` is a shift in Python 3, `print ("x"), y` a tuple, and `print ("%d") % 3` the remainder of None.
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
    # `print(x), flush()` and `print(x),` are valid in Python 3: a tuple of calls.
    others = [part for part in parts[1:] if not isinstance(part, ast.Call)]
    return _is_print_call(first) and len(parts) > 1 and len(others) == len(parts) - 1


def _is_print(node: ast.AST) -> bool:
    return isinstance(node, ast.Name) and node.id == "print"


def _is_print_call(node: ast.AST) -> bool:
    return isinstance(node, ast.Call) and _is_print(node.func)


def _report_python_2(run: ScriptRun, path: str, problem: Any) -> None:
    is_first = run.files == [path]
    where = "{}:{}".format(run.shown(path), problem.lineno) if getattr(problem, "lineno", None) else run.shown(path)
    if is_first:
        run.is_python_2 = True
    also = " with all that it imports from its own files" if is_first else ""
    user_script.print_message("{}: interpreted as Python 2{}: {}".format(where, also, problem.msg))


def _report_neither(source: bytes, path: str, run: ScriptRun) -> None:
    """Reports the syntax error for Python 2; Python 3's error, which follows, may only be about Python 2's syntax."""
    try:
        _parsed(source, path)
    except (SyntaxError, ValueError):
        line, why = _syntax(run).problem(source, path)
        where = "{}:{}".format(run.shown(path), line) if line is not None else run.shown(path)
        user_script.print_message("{}: neither Python 2 nor Python 3: {}".format(where, why))


def _report_ambiguous_lines(source: bytes, path: str, run: ScriptRun) -> None:
    """Reports the lines whose block depends on the width of a tab."""
    from legacy_towers.run.python2 import indentation

    for text in indentation.messages(run.shown(path), _syntax(run).ambiguous_lines(source)):
        user_script.print_message(text)


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
