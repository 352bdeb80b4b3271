"""Translates a file that only Python 2 can parse to Python 3, in memory: print statements, `except X, e`, 0777.

The grammar and most of the rules are those of lib2to3, which Python 3.13 removed, in its port fissix. Names and
constructs that are not a matter of syntax are rewritten by `rewrite` and `constructs`.
"""
import ast
import difflib
import re
from typing import Any, List, NamedTuple, Optional, Set, Tuple, Union

from legacy_towers.run.python2 import indentation

_RULES = "except exec ne numliterals paren print raise repr tuple_params unicode throw".split()
_OWN_RULES = ("legacy_towers.run.python2.fix_mixed_lambda", "legacy_towers.run.python2.fix_one_line_except")
# PEP 263.
_CODING = re.compile(rb"^[ \t\f]*#.*?coding[:=][ \t]*([-\w.]+)")


class Translated(NamedTuple):
    """A translated file.

    Attributes:
      tree: the syntax tree, with the line numbers of the original file.
      true_division: whether it has `from __future__ import division`.
      absolute_import: whether it has `from __future__ import absolute_import`.
    """

    tree: ast.Module
    true_division: bool
    absolute_import: bool


def translate(source: bytes, path: str) -> Optional[Translated]:
    """Returns the translation of a file, None if the file is not Python 2."""
    result = _translated(source, path)
    return result if isinstance(result, Translated) else None


def translated_text(source: bytes, path: str) -> Optional[str]:
    """Returns the text of the translation of a file, whose lines may be other ones; None if it is not Python 2."""
    result = _refactored(source, path)
    return result[1] if isinstance(result, tuple) else None


def problem(source: bytes, path: str) -> Tuple[Optional[int], str]:
    """Returns (line, error message) for a file that is not Python 2; the line is None if it is unknown."""
    result = _translated(source, path)
    if isinstance(result, SyntaxError):
        return result.lineno, str(result.msg)
    context = getattr(result, "context", None)
    if context is not None:  # a ParseError of fissix: (preceding blanks, (line, column))
        value = result.value.strip()  # type: ignore[union-attr]
        return context[1][0], "unexpected {!r}".format(value) if value else "unexpected end of line"
    if isinstance(result, Exception):  # a TokenError: (message, (line, column))
        position = result.args[1] if len(result.args) > 1 else (None, 0)
        return position[0], str(result.args[0] if result.args else result)
    return None, "the text can't be decoded"


def _translated(source: bytes, path: str) -> Union[Translated, Exception, None]:
    """Returns the translation of the file, or the error that parsing it raised; None if it can't be decoded."""
    result = _refactored(source, path)
    if not isinstance(result, tuple):
        return result
    old, new, tree = result
    _put_lines_back(tree, old, new)
    future = _future_names(tree)
    return Translated(tree, "division" in future, "absolute_import" in future)


def _refactored(source: bytes, path: str) -> Union[Tuple[str, str, ast.Module], Exception, None]:
    """Returns the text of the file, that of its translation, and the tree of this one; errors as `_translated`."""
    text = _text(source)
    if text is None:
        return None
    from fissix.pgen2 import parse
    from fissix.pgen2 import tokenize as old_tokenize

    try:
        refactored = _tool().refactor_string(indentation.with_blanks(text), path)
        if refactored is None:  # not Python 2: parsing raises the error
            _tool().driver.parse_string(indentation.with_blanks(text))
            return None
        new = str(refactored)
        tree = ast.parse(new, path)
    except (SyntaxError, ValueError, parse.ParseError, old_tokenize.TokenError) as error:
        return error
    return text, new, tree


def ambiguous_lines(source: bytes) -> List[indentation.AmbiguousLines]:
    """Returns the statements of a file that is Python 2 whose block depends on the width of a tab."""
    text = _text(source)
    return [] if text is None or "\t" not in text else indentation.ambiguous_lines(text)


def load() -> None:
    """Imports the modules that the translation needs."""
    _tool()


def _tool() -> Any:
    from fissix import refactor

    class Quiet(refactor.RefactoringTool):
        def log_message(self, *arguments: Any) -> None:
            """Logs nothing."""

        log_debug = log_error = warning = log_message

    return Quiet(list(_OWN_RULES) + ["fissix.fixes.fix_" + rule for rule in _RULES])


def _text(source: bytes) -> Optional[str]:
    encoding = "utf-8"
    for line in source.splitlines()[:2]:
        found = _CODING.match(line)
        if found is not None:
            encoding = found.group(1).decode("ascii")
    for tried in (encoding, "latin1"):
        try:
            text = source.decode("utf-8-sig" if tried.lower().replace("_", "-") == "utf-8" else tried)
        except (LookupError, UnicodeDecodeError):
            continue
        text = text.replace("\r\n", "\n").replace("\r", "\n").replace("\f", "")
        return text if text.endswith("\n") else text + "\n"
    return None


def _put_lines_back(tree: ast.Module, old: str, new: str) -> None:
    """Gives the nodes of `tree`, parsed from `new`, their line numbers in `old`, since some rules add lines."""
    old_lines, new_lines = old.splitlines(), new.splitlines()
    if len(old_lines) == len(new_lines):
        return
    line_of = _lines_of(old_lines, new_lines)
    node: Any
    for node in ast.walk(tree):
        for name in ("lineno", "end_lineno"):
            line = getattr(node, name, None)
            if line is not None:
                setattr(node, name, line_of[min(line, len(line_of)) - 1])
        # Where two lines became one, the end column must not precede the start column.
        if getattr(node, "end_lineno", None) == getattr(node, "lineno", -1) and node.col_offset > node.end_col_offset:
            node.end_col_offset = node.col_offset


def _lines_of(old: List[str], new: List[str]) -> List[int]:
    """Returns for each line of `new` the number of its line in `old`."""
    found: List[int] = []
    matcher = difflib.SequenceMatcher(None, [line.strip() for line in old], [line.strip() for line in new], False)
    for _, old_first, old_end, new_first, new_end in matcher.get_opcodes():
        for offset in range(new_end - new_first):
            found.append(max(1, min(old_first + offset, max(old_end - 1, old_first)) + 1))
    return found


def _future_names(tree: ast.Module) -> Set[str]:
    return {
        alias.name
        for node in tree.body
        if isinstance(node, ast.ImportFrom) and node.module == "__future__"
        for alias in node.names
    }

