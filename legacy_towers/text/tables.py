"""Formats plain text tables."""
import itertools
from typing import Any, List, NamedTuple, Optional, Sequence

_GAP = "  "  # between two columns
_MIN_TEXT_WIDTH = 12  # of a left-aligned column; a table without space for it is split
# A word that is too long is broken after one of these characters, if it has one.
_BREAKS = "/,:+_="


def format_table(
    header: Sequence[Any],
    rows: Sequence[Sequence[Any]],
    align: Optional[str] = None,
    width: Optional[int] = None,
    codes: Optional[Sequence[Optional[str]]] = None,
) -> str:
    """Returns a table: the header, a line of dashes, and one line per row, without trailing spaces or newline.

        tower  asked   ops
        -----  ------  ---
        0      /cpu:0    3

    To fit `width`, titles are wrapped first, then the cells of left-aligned columns. If that is not enough, the columns
    on the right go to further tables below, which repeat the first column.

    Args:
      header: the titles of the columns; an empty sequence prints no header.
      rows: one sequence of cells per row, as long as the header; None is printed as "".
      align: one letter per column, "l" or "r", such as "llr"; by default columns of numbers are right-aligned.
      width: the maximal width in characters; None: no limit.
      codes: for each row the number of an ANSI colour, such as "32", or None.

    Raises:
      ValueError: a row or `align` has a wrong number of columns, or `align` has another letter.
    """
    cells = [["" if cell is None else str(cell) for cell in row] for row in rows]
    titles = [str(title) for title in header]
    columns = len(titles) if titles else len(cells[0]) if cells else 0
    for number, row in enumerate(cells):
        if len(row) != columns:
            raise ValueError("row {} of the table has {} cells, not {}: {}".format(number, len(row), columns, row))
    if align is None:
        align = "".join("r" if _is_numeric(rows, column) else "l" for column in range(columns))
    if len(align) != columns or set(align) - set("lr"):
        raise ValueError("align is {!r}: it needs one letter, l or r, for each of {} columns".format(align, columns))
    tables = []
    for group in _column_groups(titles, cells, align, width):
        indexes = [column.number for column in group]
        tables.append(_table(
            [titles[index] for index in indexes] if titles else [],
            [[row[index] for index in indexes] for row in cells],
            [column.width for column in group],
            "".join(align[index] for index in indexes),
            codes or [None] * len(cells),
        ))
    return "\n\n".join(tables)


class _Column(NamedTuple):
    """The index of a column and its width in characters."""

    number: int
    width: int


def _column_groups(titles: List[str], cells: List[List[str]], align: str, width: Optional[int]) -> List[List[_Column]]:
    """Returns the columns of each table that is printed."""
    widest = [max([len(line[index]) for line in [titles] * bool(titles) + cells] or [0]) for index in range(len(align))]
    if width is None or _total(widest) <= width:
        return [[_Column(index, each) for index, each in enumerate(widest)]]
    least = []
    for index, side in enumerate(align):
        title = max(map(len, titles[index].split()), default=0) if titles else 0
        cell = max([len(row[index]) for row in cells] or [0])
        if index == 0:
            least.append(max(title, min(cell, max(_MIN_TEXT_WIDTH, width // 2))))
        else:
            least.append(max(title, cell if side == "r" else min(cell, _MIN_TEXT_WIDTH)))
    groups: List[List[int]] = [[0]]
    for index in range(1, len(align)):
        if len(groups[-1]) > 1 and _total([least[each] for each in groups[-1] + [index]]) > width:
            groups.append([0])
        groups[-1].append(index)
    return [_fitted(group, least, widest, width) for group in groups]


def _fitted(group: List[int], least: List[int], widest: List[int], width: int) -> List[_Column]:
    """Returns the columns with `width` distributed among them, first to those that need the least."""
    widths = {index: least[index] for index in group}
    left = width - _total(list(widths.values()))
    if left < 0 and len(group) > 1:  # the first column and a single other one
        widths[0] = max(_MIN_TEXT_WIDTH, widths[0] + left)
        left = 0
    for index in sorted(group, key=lambda index: widest[index] - widths[index]):
        more = max(0, min(left, widest[index] - widths[index]))
        widths[index] += more
        left -= more
    return [_Column(index, widths[index]) for index in group]


def _total(widths: Sequence[int]) -> int:
    return sum(widths) + len(_GAP) * (len(widths) - 1)


def _table(
    titles: List[str], rows: List[List[str]], widths: List[int], align: str, codes: Sequence[Optional[str]]
) -> str:
    lines = []
    if titles:
        lines += _lines(titles, widths, align, "")
        lines.append(_GAP.join("-" * width for width in widths))
    for row, code in zip(rows, codes):
        coloured = "{}" if code is None else "\033[{}m{{}}\033[0m".format(code)
        lines += [coloured.format(line) for line in _lines(row, widths, align, " ")]
    return "\n".join(lines)


def _lines(cells: Sequence[str], widths: Sequence[int], align: str, indent: str) -> List[str]:
    """Returns the lines of a row; `indent` precedes the further lines of left-aligned cells."""
    wrapped = [
        _wrapped(cell, width, indent if side == "l" else "") for cell, width, side in zip(cells, widths, align)
    ]
    return [_line(parts, widths, align) for parts in itertools.zip_longest(*wrapped, fillvalue="")]


def _wrapped(text: str, width: int, indent: str) -> List[str]:
    lines = []
    before = ""
    while len(before) + len(text) > width:
        available = max(1, width - len(before))
        end = text.rfind(" ", 0, available + 1)
        if end <= 0:
            end = max(text.rfind(letter, 0, available) for letter in _BREAKS) + 1 or available
        lines.append(before + text[:end].rstrip())
        text = text[end:].lstrip(" ")
        before = indent
    return lines + [before + text] if text or not lines else lines


def _is_numeric(rows: Sequence[Sequence[Any]], column: int) -> bool:
    values: List[Any] = [row[column] for row in rows if row[column] is not None]
    return bool(values) and all(isinstance(value, (int, float)) and not isinstance(value, bool) for value in values)


def _line(cells: Sequence[str], widths: Sequence[int], align: str) -> str:
    padded = [
        cell.rjust(width) if side == "r" else cell.ljust(width) for cell, width, side in zip(cells, widths, align)
    ]
    return "  ".join(padded).rstrip()
