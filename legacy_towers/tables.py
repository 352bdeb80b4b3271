"""Plain text tables, for everything that is printed to a person."""
from typing import Any, List, Optional, Sequence


def format_table(header: Sequence[Any], rows: Sequence[Sequence[Any]], align: Optional[str] = None) -> str:
    """Returns a table as lines of text: the header, a rule, and one line per row; no trailing spaces or newline.

        tower  asked   ops
        -----  ------  ---
        0      /cpu:0    3

    Args:
      header: the titles of the columns; an empty sequence prints neither titles nor rule.
      rows: one sequence of cells per row, as long as the header; None prints as nothing.
      align: one letter per column, "l" or "r", e.g. "llr"; without it a column whose cells are all numbers is
        right-aligned.

    Raises:
      ValueError: a row or `align` has another number of columns than the table.
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
    lines = ([titles] if titles else []) + cells
    widths = [max([len(line[column]) for line in lines] or [0]) for column in range(columns)]
    if titles:
        lines.insert(1, ["-" * width for width in widths])
    return "\n".join(_line(line, widths, align) for line in lines)


def _is_numeric(rows: Sequence[Sequence[Any]], column: int) -> bool:
    values: List[Any] = [row[column] for row in rows if row[column] is not None]
    return bool(values) and all(isinstance(value, (int, float)) and not isinstance(value, bool) for value in values)


def _line(cells: Sequence[str], widths: Sequence[int], align: str) -> str:
    padded = [
        cell.rjust(width) if side == "r" else cell.ljust(width) for cell, width, side in zip(cells, widths, align)
    ]
    return "  ".join(padded).rstrip()
