"""The layout of text for terminals of different widths, and for other streams."""
import io
import re
import sys

import pytest
from terminals import run_python_in_terminal

from legacy_towers.text.terminal import GREEN, RED, Layout, layout_of


@pytest.fixture(autouse=True)
def fresh_graph():
    """Replaces the fixture of conftest.py: these tests need no TensorFlow."""


HEADER = ["candidate", "examples/s", "p50 ms", "MB fed (copied)", "why"]
ROWS = [
    ["staged+dataset:next_per_tower", "12,054 \u00b1 41", "31.2", "64.0 (64.0)", "the fastest"],
    ["feed", "2,054 \u00b1 41", "36.8", "64.0 (0)", None],
    ["queue", "failed", None, None, "the job has no files"],
]
ALIGN = "lrrrl"


def letters_of(text):
    """Returns the sorted letters of the cells, which wrapping must not change."""
    return sorted(re.sub(r"[\s-]+", "", text))


@pytest.mark.parametrize("width", [40, 50, 60, 70, 80, 90, 100])
def test_a_table_fits_every_width_without_losing_text(width):
    tables = Layout(width).table(HEADER, ROWS, ALIGN).split("\n\n")
    assert max(len(line) for table in tables for line in table.splitlines()) <= width
    titles = " ".join(HEADER + HEADER[:1] * (len(tables) - 1))
    names = " ".join(row[0] for row in ROWS)
    cells = " ".join(str(cell) for row in ROWS for cell in row if cell is not None)
    assert letters_of("".join(tables)) == letters_of(" ".join([titles, cells] + [names] * (len(tables) - 1)))


def test_a_table_that_fits_is_not_wrapped():
    table = Layout().table(HEADER, ROWS, ALIGN)
    widest = max(map(len, table.splitlines()))
    assert Layout(widest).table(HEADER, ROWS, ALIGN) == table
    assert Layout(widest - 1).table(HEADER, ROWS, ALIGN) != table


def test_titles_are_wrapped_first():
    assert Layout(20).table(["name", "MB fed (copied)"], [["feed", "64.0 (0)"]], "lr") == (
        "name          MB fed\n"
        "            (copied)\n"
        "----  --------------\n"
        "feed        64.0 (0)"
    )


def test_cells_of_text_are_wrapped_next_and_numbers_never():
    rows = [["tower_0/conv1/weights/Adam", "/cpu:0 (moved)", 12]]
    assert Layout(40).table(["op", "ran on", "ops"], rows) == (
        "op                    ran on         ops\n"
        "--------------------  -------------  ---\n"
        "tower_0/conv1/        /cpu:0          12\n"
        " weights/Adam          (moved)"
    )


def test_columns_on_the_right_go_to_a_second_table():
    rows = [["feed", "12,345", "31.2", "1.57"]]
    assert Layout(30).table(["candidate", "examples/s", "p50 ms", "cores"], rows, "lrrr") == (
        "candidate  examples/s  p50 ms\n"
        "---------  ----------  ------\n"
        "feed           12,345    31.2\n"
        "\n"
        "candidate  cores\n"
        "---------  -----\n"
        "feed        1.57"
    )


def test_rows_are_coloured_line_by_line_without_the_header():
    layout = Layout(30, colour=True)
    rows = [["tower_0/conv1/weights/Adam/update", 1], ["x", 2], ["y", 3]]
    table = layout.table(["op", "ops"], rows, None, [RED, None, GREEN])
    lines = table.splitlines()
    assert [line.startswith("\033[31m") and line.endswith("\033[0m") for line in lines[2:4]] == [True, True]
    assert lines[-2:] == ["x" + " " * (len(lines[1]) - 2) + "2", "\033[32my" + " " * (len(lines[1]) - 2) + "3\033[0m"]
    assert "\033" not in lines[0] + lines[1]
    assert "\033" not in Layout(30).table(["op"], [["x"]], None, [RED])


def test_sentences_are_wrapped_and_coloured():
    assert Layout(20).sentence("feed failed: it has no files") == "feed failed: it has\n  no files"
    assert Layout(20, True).sentence("feed failed: it has no files", colour=RED) == (
        "\033[31mfeed failed: it has\033[0m\n\033[31m  no files\033[0m"
    )
    assert Layout().sentence("x " * 100).splitlines()[0] == "x " * 59 + "x"
    assert Layout(200).sentence("x " * 100) == Layout().sentence("x " * 100)


@pytest.mark.parametrize("stream", [io.StringIO(), None], ids=["not a terminal", "None"])
def test_a_stream_that_is_not_a_terminal_has_no_limits(stream):
    assert layout_of(stream) == Layout(None, False)


SHOW = """
import sys
from legacy_towers.text.terminal import layout_of, printed_layout
print(tuple(layout_of(sys.stdout)), tuple(printed_layout()), tuple(layout_of(sys.stderr)))
"""


@pytest.mark.parametrize(
    "columns, environment, expected",
    [
        (80, {}, (80, True)),
        (132, {}, (132, True)),
        (80, {"NO_COLOR": "1"}, (80, False)),
        (80, {"NO_COLOR": ""}, (80, True)),
        (80, {"TERM": "dumb"}, (80, False)),
        (20, {}, (40, True)),
        (0, {}, (80, True)),
    ],
    ids=["80", "132", "NO_COLOR", "NO_COLOR is empty", "dumb", "too narrow", "unknown width"],
)
@pytest.mark.skipif(sys.platform == "win32", reason="Windows has no pseudo-terminals")
def test_layout_of_a_terminal(columns, environment, expected):
    code, shown = run_python_in_terminal(SHOW, columns, **environment)
    assert (code, shown) == (0, "{} {} {}\n".format(expected, (expected[0], False), expected))
