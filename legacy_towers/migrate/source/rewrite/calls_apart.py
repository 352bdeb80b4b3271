"""Calls of functions that read, as statements of their own in front of the expressions that they are in.

    return tf.train.batch([self.next()], n)     example = self.next()
                                                return tf.train.batch([example], n)
"""
import re
from typing import Dict, List, Optional, Sequence, Set, Tuple

import libcst as cst

from legacy_towers.migrate.source.project import Project
from legacy_towers.migrate.source.rewrite.drafts import Left
from legacy_towers.migrate.source.rewrite.syntax import LOOPS, Source

REASON = "the result of the function that reads is used in an expression"
_NAME = "example"
# What is in them is not always computed, or later.
_SOMETIMES = LOOPS + (cst.IfExp, cst.BooleanOperation)
_STATEMENTS = (cst.Assign, cst.Return, cst.Expr)


def sources_with_calls_apart(project: Project, left: Sequence[Left]) -> Dict[str, bytes]:
    """Returns path -> new bytes of the files that call functions which read inside expressions; {} if there are none.

    Only calls that the statement computes first are moved: the operations of the graph keep their order.

    Args:
      project: the project.
      left: the calls that stay: those with `REASON` are in such functions.
    """
    functions: Set[str] = set()
    for each in left:
        source = _source(project, each.site.path) if each.reason == REASON else None
        call = None if source is None else source.call(each.site)
        function = None if source is None or call is None else source.function(call)
        if function is not None:
            functions.add(function.name.value)
    found: Dict[str, bytes] = {}
    for path, file in project.files.items():
        # Parsing takes long: only files with one of the names.
        if any(name.encode("utf-8") in file.source for name in functions):
            source = _source(project, path)
            text = None if source is None else _apart(source, file.source, functions)
            if text is not None:
                found[path] = text
    return found


def _source(project: Project, path: str) -> Optional[Source]:
    file = project.files[path]
    if file.tree is None or file.is_python_2:
        return None
    try:
        return Source(path, file.source)
    except (cst.ParserSyntaxError, UnicodeDecodeError):
        return None


def _apart(source: Source, content: bytes, functions: Set[str]) -> Optional[bytes]:
    """Returns the bytes of a file with the calls of `functions` apart, None if it has none inside of expressions."""
    moved = [each for each in source.calls() if _called(each) in functions]
    moved = [each for each in moved if _is_first(source, each, moved)]
    if not moved:
        return None
    lines = content.decode(source.module.encoding).splitlines(keepends=True)
    moved.sort(key=lambda each: _place(source, each))
    names: List[str] = []
    for _ in moved:
        names.append(_new_name(source, names))
    # From the end: what is before a call keeps its place.
    for call, name in zip(reversed(moved), reversed(names)):
        _move(source, lines, call, name)
    return "".join(lines).encode(source.module.encoding)


def _called(call: cst.Call) -> str:
    function = call.func
    if isinstance(function, cst.Attribute):
        return function.attr.value
    return function.value if isinstance(function, cst.Name) else ""


def _place(source: Source, node: cst.CSTNode) -> Tuple[int, int]:
    start = source.positions[node].start
    return start.line, start.column


def _is_first(source: Source, call: cst.Call, moved: Sequence[cst.Call]) -> bool:
    """Returns whether a call is inside an expression that computes nothing before it but other calls of `moved`."""
    statement = source.statement(call)
    if not isinstance(statement, _STATEMENTS) or statement.value is call:
        return False
    line = source.parents[statement]
    if not isinstance(line, cst.SimpleStatementLine) or len(line.body) != 1:
        return False
    around = source.between(call, statement)
    if any(isinstance(each, _SOMETIMES) for each in around):
        return False
    # `a < b < c` does not compute `c` where `a < b` does not hold.
    if any(isinstance(each, cst.Comparison) and len(each.comparisons) > 1 for each in around):
        return False
    within = [each for each in source.calls() if source.statement(each) is statement]
    return all(
        each is call or each in around or each in moved or _place(source, each) > _place(source, call)
        for each in within
    ) and not any(each in around for each in moved)


def _new_name(source: Source, names: Sequence[str]) -> str:
    name, number = _NAME, 1
    while name in source.names or name in names:
        number += 1
        name = "{}_{}".format(_NAME, number)
    return name


def _move(source: Source, lines: List[str], call: cst.Call, name: str) -> None:
    """Replaces a call by `name` in the lines of its file, and binds `name` in front of its statement."""
    start, end = source.positions[call].start, source.positions[call].end
    first, last = start.line - 1, end.line - 1
    code = "".join(lines[first:last + 1])
    tail = len(lines[last]) - end.column
    code, before, after = code[start.column:len(code) - tail], lines[first][:start.column], lines[last][end.column:]
    lines[first:last + 1] = [before + name + after]
    place = source.positions[source.statement(call)].start.line - 1
    indentation = re.match(r"[ \t]*", lines[place])
    assert indentation is not None
    lines.insert(place, "{}{} = {}\n".format(indentation.group(), name, code))
