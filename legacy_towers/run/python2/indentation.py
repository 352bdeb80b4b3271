"""The width of a tab in the indentation of a Python 2 file.

Python 2 reads a tab as blanks up to the next multiple of 8 columns, and accepts lines that mix both. An editor may have
shown its author a narrower tab, and so another program:

    for gradient, variable in pairs:        tabs of 8: `return` is in the `for`, and ends it in its first turn
        total += gradient                   tabs of 4: `return` follows the `for`
    <tab>return total
"""
import io
from typing import Any, Dict, List, NamedTuple, Optional, Set, Tuple

# The width of a tab in Python 2, in columns.
WIDTH = 8
# Other widths that editors have, the most frequent first.
_OTHER_WIDTHS = (4, 2, 3)
# Characters of a line of code in a message.
_SHOWN = 40
# Groups of lines that are printed for one file.
_MESSAGES = 5

# The first line of a statement -> the first line of the statement whose block it is in, 0 for the module.
_Blocks = Dict[int, int]


class AmbiguousLines(NamedTuple):
    """Consecutive statements whose block depends on the width of a tab.

    Attributes:
      first, last: the lines where the first and the last of them begin, from 1.
      width: the other width, in columns, with which the file is valid Python, too.
      block: the line of the statement whose block they are in with tabs of 8 columns; 0 for the module.
      other_block: the same with tabs of `width` columns.
      source: the text of the line `block`, shortened; "" for the module.
      other_source: the same of `other_block`.
    """

    first: int
    last: int
    width: int
    block: int
    other_block: int
    source: str
    other_source: str

    def __str__(self) -> str:
        lines = "line {} is".format(self.first)
        if self.last > self.first:
            lines = "lines {} to {} are".format(self.first, self.last)
        return "with tabs of {} columns, as in Python 2, {} {}; with tabs of {} columns {}".format(
            WIDTH, lines, _place(self.block, self.source), self.width, _place(self.other_block, self.other_source)
        )


def with_blanks(text: str, width: int = WIDTH) -> str:
    """Replaces the tabs of each line's indentation by blanks, with tab stops at multiples of `width` columns."""
    if "\t" not in text:
        return text
    lines = text.split("\n")
    inside = _lines_inside_strings(text)
    for number, line in enumerate(lines):
        bare = line.lstrip(" \t")
        indentation = line[: len(line) - len(bare)]
        if "\t" in indentation and number + 1 not in inside:
            lines[number] = indentation.expandtabs(width) + bare
    return "\n".join(lines)


def ambiguous_lines(text: str) -> List[AmbiguousLines]:
    """Returns the statements whose block depends on the width of a tab; none if no other width makes a valid program.

    Args:
      text: the text of a file that is valid Python 2.
    """
    if not _mixes(text):
        return []
    blocks = _blocks(with_blanks(text))
    for width in _OTHER_WIDTHS:
        other = _valid_blocks(with_blanks(text, width))
        if other is not None and other != blocks:
            return _grouped(text.split("\n"), blocks, other, width)
    return []


def messages(path: str, found: List[AmbiguousLines]) -> List[str]:
    """Returns what to print about the ambiguous lines of the file `path`: one message per group, and what to do."""
    texts = ["{}:{}: {}".format(path, each.first, each) for each in found[:_MESSAGES]]
    if len(found) > _MESSAGES:
        texts.append("{}: {} more places depend on the width of a tab".format(path, len(found) - _MESSAGES))
    if found:
        texts.append("{}: it is read with tabs of {} columns; if its author's editor had tabs of {}, replace them, by "
                     "`expand -i -t {}` for example".format(path, WIDTH, found[0].width, found[0].width))
    return texts


def _mixes(text: str) -> bool:
    """Returns whether the indentation of some lines has tabs, and that of some has blanks."""
    characters = "".join(line[: len(line) - len(line.lstrip(" \t"))] for line in text.split("\n"))
    return "\t" in characters and " " in characters


def _lines_inside_strings(text: str) -> Set[int]:
    from fissix.pgen2 import token

    inside: Set[int] = set()
    for kind, _, start, end, _ in _tokens(text):
        if kind == token.STRING:
            inside.update(range(start[0] + 1, end[0] + 1))
    return inside


def _tokens(text: str) -> Any:
    from fissix.pgen2 import tokenize as old_tokenize

    return old_tokenize.generate_tokens(io.StringIO(text).readline)


def _valid_blocks(text: str) -> Optional[_Blocks]:
    """Returns the block of each statement, None if `text` is not a valid program."""
    from fissix import pygram, pytree
    from fissix.pgen2 import driver, parse
    from fissix.pgen2 import tokenize as old_tokenize

    # The second is that of a file with `from __future__ import print_function`.
    for grammar in (pygram.python_grammar, pygram.python_grammar_no_print_statement):
        try:
            driver.Driver(grammar, convert=pytree.convert).parse_string(text)
            return _blocks(text)
        except (SyntaxError, parse.ParseError, old_tokenize.TokenError):
            continue
    return None


def _blocks(text: str) -> _Blocks:
    from fissix.pgen2 import token
    from fissix.pgen2 import tokenize as old_tokenize

    blocks: _Blocks = {}
    enclosing = [0]
    statement, begins = 0, True
    for kind, _, (line, _), _, _ in _tokens(text):
        if kind == token.INDENT:
            enclosing.append(statement)
        elif kind == token.DEDENT:
            enclosing.pop()
        elif kind == token.NEWLINE:
            begins = True
        elif begins and kind not in (old_tokenize.COMMENT, old_tokenize.NL, token.ENDMARKER):
            statement, begins = line, False
            blocks[line] = enclosing[-1]
    return blocks


def _grouped(lines: List[str], blocks: _Blocks, other: _Blocks, width: int) -> List[AmbiguousLines]:
    """Returns the statements whose blocks differ, with one row for consecutive statements of the same two blocks."""
    groups: List[Tuple[int, int]] = []
    previous = None
    for line in sorted(blocks):
        both = blocks[line], other[line]
        if both[0] == both[1]:
            # A statement below one of the group, in whose block it is with either width, does not end the group.
            previous = previous if previous is not None and blocks[line] >= groups[-1][0] else None
        elif both == previous:
            groups[-1] = groups[-1][0], line
        else:
            groups.append((line, line))
            previous = both
    found = []
    for first, last in groups:
        block, other_block = blocks[first], other[first]
        found.append(AmbiguousLines(
            first, last, width, block, other_block, _source(lines, block), _source(lines, other_block)
        ))
    return found


def _source(lines: List[str], line: int) -> str:
    source = lines[line - 1].strip() if line else ""
    return source if len(source) <= _SHOWN else source[: _SHOWN - 3] + "..."


def _place(line: int, source: str) -> str:
    return "in the block of line {} (`{}`)".format(line, source) if line else "outside any block"
