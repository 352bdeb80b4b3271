"""Lays out text for the width and colours of a terminal.

Text on a terminal has colours unless NO_COLOR is set (https://no-color.org) or TERM is "dumb".
"""
import os
import sys
import textwrap
from typing import Any, NamedTuple, Optional, Sequence

from legacy_towers.text.documented_fields import documented_fields
from legacy_towers.text.tables import format_table

GREEN, RED = "green", "red"
_CODES = {GREEN: "32", RED: "31"}
_SENTENCE_WIDTH = 120  # the maximal width of sentences, in columns
_DEFAULT_WIDTH = 80  # of a terminal that does not report its width
_MIN_WIDTH = 40  # narrower lines would break words


@documented_fields
class Layout(NamedTuple):
    """The layout of text for an output stream.

    Attributes:
      width: the width in columns; None: no limit for tables, 120 for sentences.
      colour: whether winners and failures are coloured.
    """

    width: Optional[int] = None
    colour: bool = False

    def sentence(self, text: str, indent: str = "  ", colour: Optional[str] = None) -> str:
        """Returns wrapped text; names longer than a line are broken.

        Args:
          indent: the beginning of each line but the first.
        """
        width = _SENTENCE_WIDTH if self.width is None else min(_SENTENCE_WIDTH, self.width)
        return self.coloured(textwrap.fill(text, width, subsequent_indent=indent, break_on_hyphens=False), colour)

    def table(
        self,
        header: Sequence[Any],
        rows: Sequence[Sequence[Any]],
        align: Optional[str] = None,
        colours: Optional[Sequence[Optional[str]]] = None,
    ) -> str:
        """Returns `format_table` for this width; `colours` has `GREEN`, `RED` or None for each row."""
        codes = None
        if self.colour and colours is not None:
            codes = [None if colour is None else _CODES[colour] for colour in colours]
        return format_table(header, rows, align, self.width, codes)

    def coloured(self, text: str, colour: Optional[str]) -> str:
        """Returns the lines of `text` in a colour, if this layout has colours."""
        if colour is None or not self.colour:
            return text
        return "\n".join("\033[{}m{}\033[0m".format(_CODES[colour], line) for line in text.splitlines())


# For streams that are not terminals.
FILE = Layout()


def layout_of(stream: Any) -> Layout:
    """Returns the layout for an output stream: that of the terminal, or `FILE` if it is not a terminal."""
    try:
        if not stream.isatty():
            return FILE
    except (AttributeError, ValueError):  # the stream is None or closed
        return FILE
    colour = not os.environ.get("NO_COLOR") and os.environ.get("TERM") != "dumb"
    return Layout(max(_MIN_WIDTH, _columns(stream)), colour)


def printed_layout() -> Layout:
    """Returns the layout of sys.stdout without colours, for `__str__`: its result may also go to a file."""
    return layout_of(sys.stdout)._replace(colour=False)


def _columns(stream: Any) -> int:
    try:
        return os.get_terminal_size(stream.fileno()).columns or _DEFAULT_WIDTH
    except (AttributeError, OSError, ValueError):
        return _DEFAULT_WIDTH
