"""Names on pages of the site break after a dot and options nowhere; cells have the headings of their columns."""
import os
import sys

import pytest
from doc_blocks import CHECKOUT

sys.path.insert(0, os.path.join(CHECKOUT, "docs", "tools"))

import layout  # noqa: E402


@pytest.fixture(autouse=True)
def fresh_graph():
    """In place of the one in conftest.py: nothing here needs TensorFlow."""


@pytest.mark.parametrize(
    "before, after",
    [
        ("<code>tf.layers.dense</code>", "<code>tf.layers.dense</code>"),
        (
            "<code>tensorflow.python.ops.variables</code>",
            "<code>tensorflow.<wbr>python.<wbr>ops.<wbr>variables</code>",
        ),
        ("<code>staged+dataset:sharded</code>", "<code>staged+<wbr>dataset:<wbr>sharded</code>"),
        ("<code>a_very_long_name_of_a_single_function</code>",
         "<code>a_<wbr>very_<wbr>long_<wbr>name_<wbr>of_<wbr>a_<wbr>single_<wbr>function</code>"),
        ("<code>--against</code>", '<span class="unbroken"><code>--against</code></span>'),
        ("<code>legacy-towers run</code>", '<code><span class="unbroken">legacy-towers</span> run</code>'),
        ("<pre><code>tensorflow.python.ops.variables</code></pre>",
         "<pre><code>tensorflow.python.ops.variables</code></pre>"),
    ],
    ids=["short", "dots", "specification", "underscores", "option", "command", "block"],
)
def test_names_break_where_a_reader_expects_it(before, after):
    assert layout.prepared("<p>{}</p>".format(before)) == "<p>{}</p>".format(after)


def test_cells_have_the_heading_of_their_column():
    row = "<tr><td>1</td><td>a &amp; b</td></tr>"
    head = "<thead><tr><th>no.</th><th>what &amp; why</th></tr></thead>"
    table = "<table>{}<tbody>{}</tbody></table>".format(head, 2 * row)
    labelled = '<tr><td data-label="no.">1</td><td data-label="what &amp; why">a &amp; b</td></tr>'
    assert layout.prepared(table) == table.replace(row, labelled)


@pytest.mark.parametrize(
    "columns, name, attributes",
    [
        (2, "short", ""),
        (2, "tensorflow.python.training.session_manager.session", " data-wide"),
        (3, "short", ' data-columns="3"'),
        (4, "short", ' data-wide data-columns="4"'),
    ],
    ids=["small", "long name", "three columns", "four columns"],
)
def test_tables_say_how_wide_they_are(columns, name, attributes):
    heading, row = columns * "<th>h</th>", "<td>{}</td>".format(name) + (columns - 1) * "<td>x</td>"
    made = layout.prepared("<table><tr>{}</tr><tr>{}</tr></table>".format(heading, row))
    assert made.startswith("<table{}>".format(attributes))


def test_paths_and_small_numbers_in_a_cell():
    made = layout.prepared("<table><tr><th>h</th></tr><tr><td>compat/tf1/test_parts.py, 1e-12</td></tr></table>")
    assert '>compat/<wbr>tf1/<wbr>test_parts.<wbr>py, <span class="unbroken">1e-12</span></td>' in made
