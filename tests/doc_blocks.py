"""Reads the blocks of code, commands and output of README.md and docs/pages, for the tests that run them.

A fenced block runs by its language: `python` in one process per page, `sh` in one folder per page. A block `text` right
below one of them is what that one prints. An HTML comment right above a block is its mark:

    <!-- not run: REASON -->      the block is not run, or, for `text`, not printed by a command
    <!-- slow -->                 the block takes more than a few seconds: its page runs in a test marked slow
    <!-- output varies: REASON --> the `text` block is real, and another run prints other lines

One comment may have several marks, with `;` between them.
"""
import os
import re
from typing import List, NamedTuple, Optional

CHECKOUT = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
PAGES = os.path.join(CHECKOUT, "docs", "pages")
LANGUAGES = ("python", "sh", "text")
_FENCE = re.compile(r"^(```+|~~~+)\s*(\S*)\s*$")
_MARK = re.compile(r"^<!--\s*(.*?)\s*-->$")
_INDENTED = re.compile(r"^ {4,}\S")
_LIST_ITEM = re.compile(r"^\s*(?:[-*]|\d+\.) ")
# TensorFlow's C++ log, which no page shows, and a line that only a slow machine prints.
_LEFT_OUT = re.compile(
    r"[IWE]0000 00:|WARNING: All log messages before absl|To enable the following instructions|building the graph of \d"
)
MARKS = ("not run", "slow", "output varies")


class Block(NamedTuple):
    page: str  # relative to the checkout: README.md, docs/pages/compare.md
    line: int  # of the first line inside the block, from 1
    language: str
    text: str
    marks: dict  # {"not run": REASON, "slow": ""}
    output_of: Optional[int]  # the index of the block of which this one is the output


def pages() -> List[str]:
    """Returns README.md and the pages of docs/pages, generated ones too, relative to the checkout."""
    found = ["README.md"]
    for folder, _, names in sorted(os.walk(PAGES)):
        found += [os.path.relpath(os.path.join(folder, name), CHECKOUT) for name in sorted(names)]
    return [path.replace(os.sep, "/") for path in found if path.endswith(".md")]


def read(page: str) -> str:
    """Returns the text of a page."""
    with open(os.path.join(CHECKOUT, *page.split("/")), encoding="utf-8") as source:
        return source.read()


def blocks_of(page: str, text: Optional[str] = None) -> List[Block]:
    """Returns the fenced blocks of a page in their order.

    Raises:
      ValueError: a block is not closed, is indented and not fenced, has no language that is known, or a mark that is
        unknown or without its reason.
    """
    lines = (read(page) if text is None else text).split("\n")
    found: List[Block] = []
    position, in_list = 0, False
    while position < len(lines):
        line = lines[position]
        fence = _FENCE.match(line.strip())
        where = "{}:{}".format(page, position + 1)
        if line.strip() and not line.startswith(" "):
            in_list = bool(_LIST_ITEM.match(line))
        if fence is None:
            if _INDENTED.match(line) and not in_list:
                raise ValueError("{}: an indented block: write a fenced one, which has a language".format(where))
            position += 1
            continue
        indent = len(line) - len(line.lstrip())
        end = position + 1
        while end < len(lines) and lines[end].strip() != fence.group(1):
            end += 1
        if end == len(lines):
            raise ValueError("{}: the block is not closed".format(where))
        if fence.group(2) not in LANGUAGES:
            raise ValueError("{}: {!r} is not one of {}".format(where, fence.group(2), LANGUAGES))
        content = "\n".join(each[indent:] for each in lines[position + 1 : end]) + "\n"
        marks = _marks_above(lines, position, where)
        output_of = _printed_by(found, lines, position) if fence.group(2) == "text" and "not run" not in marks else None
        found.append(Block(page, position + 2, fence.group(2), content, marks, output_of))
        position = end + 1
    return found


def _marks_above(lines, position, where):
    above = position - 1
    if above < 0 or not _MARK.match(lines[above].strip()):
        return {}
    marks = {}
    # A reason may have a semicolon: only one before a mark separates.
    for part in re.split(r";\s*(?={})".format("|".join(MARKS)), _MARK.match(lines[above].strip()).group(1)):
        name, _, reason = (word.strip() for word in part.partition(":"))
        if name not in MARKS:
            raise ValueError("{}: {!r} is not one of the marks {}".format(where, name, MARKS))
        if name in ("not run", "output varies") and not reason:
            raise ValueError("{}: the mark {!r} needs its reason".format(where, name))
        marks[name] = reason
    return marks


def _printed_by(found, lines, position):
    """Returns the index of the block that ends above `position`, with nothing but a mark and empty lines between."""
    if not found or found[-1].language == "text":
        return None
    after = found[-1].line - 1 + found[-1].text.count("\n") + 1
    between = [line.strip() for line in lines[after:position]]
    return len(found) - 1 if all(not line or _MARK.match(line) for line in between) else None


def masked(text: str) -> List[str]:
    """Returns the lines of an output without what differs from run to run: figures, and how columns are aligned.

    Lines of `_LEFT_OUT` are left out.
    """
    lines = []
    for line in text.splitlines():
        if _LEFT_OUT.match(line):
            continue
        line = re.sub(r"\d[\d,.]*(?:e[-+]?\d+)?", "0", line)
        line = re.sub(r"-{2,}", "--", line)
        line = re.sub(r"\s+", " ", line).strip()
        if line:
            lines.append(line)
    return lines


def missing_lines(shown: str, printed: str) -> List[str]:
    """Returns the first lines of `shown` that `printed` lacks; figures are not compared, `...` is any lines.

    Without `...` between them, two lines that follow each other in `shown` follow each other in `printed`.
    """
    have, position = masked(printed), 0
    for chunk in _chunks(masked(shown)):
        starts = range(position, len(have) - len(chunk) + 1)
        start = next((each for each in starts if have[each : each + len(chunk)] == chunk), None)
        if start is None:
            return chunk
        position = start + len(chunk)
    return []


def _chunks(lines: List[str]) -> List[List[str]]:
    """Returns the lines between the `...`, a list for each part."""
    chunks: List[List[str]] = [[]]
    for line in lines:
        if line == "...":
            chunks.append([])
        else:
            chunks[-1].append(line)
    return [chunk for chunk in chunks if chunk]
