"""The text of the statement around a line of source code, as messages show it."""
import ast
import functools
import tokenize
from typing import Dict, List, Sequence, Tuple

_LONGEST = 120  # characters of a statement of several lines


def statement_in_one_line(lines: Sequence[str], number: int) -> str:
    """Returns the statement that line `number` is part of, without comments; "" if there is no such line.

    A call that is written over several lines would look empty by its first one. What is longer than 120 characters ends
    in "...", unless it is one line of the file. Up to Python 3.7 the line of a call is that of its last argument.

    Args:
      lines: the lines of the file.
      number: the number of a line, from 1.
    """
    if not 0 < number <= len(lines):
        return ""
    first = _first_line(tuple(lines), number)
    parts = _logical_line(list(lines[first - 1:])) if first else []
    if len(parts) < 2 or first + len(parts) <= number:
        return lines[number - 1].strip()
    text = parts[0]
    for part in parts[1:]:
        is_inside = text.endswith(("(", "[", "{")) or part.startswith((")", "]", "}"))
        text += part if is_inside or not part else " " + part
    return text if len(text) <= _LONGEST else text[:_LONGEST].rstrip() + " ..."


@functools.lru_cache(maxsize=16)
def _first_lines(lines: Tuple[str, ...]) -> List[int]:
    """Returns the first line of each statement; empty if Python can't parse the file, as one of Python 2."""
    try:
        module = ast.parse("".join(lines))
    except (SyntaxError, ValueError):
        return []
    return sorted({node.lineno for node in ast.walk(module) if isinstance(node, ast.stmt)})


def _first_line(lines: Tuple[str, ...], number: int) -> int:
    """Returns the line in which the statement of a line begins; the line itself if that is not known."""
    return max((each for each in _first_lines(lines) if each <= number), default=number)


def _logical_line(lines: List[str]) -> List[str]:
    """Returns the lines of a statement that begins in the first of `lines`, up to the colon of a block, stripped."""
    comments: Dict[int, int] = {}
    last = 1
    try:
        for token in tokenize.generate_tokens(iter(lines).__next__):
            last = token.start[0]
            if token.type == tokenize.COMMENT:
                comments[last] = token.start[1]
            if token.type == tokenize.NEWLINE:
                break
    except (tokenize.TokenError, SyntaxError):
        return []
    parts = [line[: comments.get(row, len(line))].strip() for row, line in enumerate(lines[:last], 1)]
    return [part[:-1].rstrip() if part.endswith("\\") else part for part in parts]
