"""The summary of a plan in a line, and the cells of its table."""
import pytest
from report import documents

from legacy_towers.report import plans


@pytest.fixture(autouse=True)
def fresh_graph():
    """Replaces the fixture of conftest.py: these tests need no TensorFlow."""


def variable(name, size, device="/device:CPU:0", **changes):
    full = dict(
        name=name, shape=[size // 4], dtype="float32", bytes=size, device=device, trainable=True, gradient="dense",
        reduced_by="add_n", reduced_on="/cpu:0", bucket=None, objective=None, copies=[],
    )
    return dict(full, **changes)


FOUR = ["/cpu:0", "/cpu:1", "/cpu:2", "/cpu:3"]


@pytest.mark.parametrize(
    "variables, line",
    [
        ([variable("a", 400), variable("b", 4)], "404 bytes on /cpu:0; 2 sums on /cpu:0"),
        ([variable("a", 400), variable("b", 600, "/device:GPU:1", reduced_on="/device:GPU:1")],
         "400 bytes on /cpu:0, 600 bytes on /gpu:1; 1 sum on each of /cpu:0 and /gpu:1"),
        ([variable("a", 400, copies=FOUR), variable("b", 4000, copies=FOUR)],
         "4.40 kB on each of 4 devices; 2 sums on /cpu:0"),
        ([variable("a", 4000, copies=FOUR[:2])], "4.00 kB on each of /cpu:0 and /cpu:1; 1 sum on /cpu:0"),
        ([variable(str(n), 1000000 * (n + 1), FOUR[n], reduced_on=FOUR[n]) for n in range(4)],
         "1.00 MB to 4.00 MB on 4 devices; 1 sum on each of 4 devices"),
        ([variable(str(n), 4, bucket=n // 2, reduced_on=None) for n in range(4)],
         "16 bytes on /cpu:0; 2 sums over all devices; 2 buckets"),
        ([variable("a", 4, reduced_by="one tower"), variable("b", 4, reduced_by=None, reduced_on=None)],
         "8 bytes on /cpu:0; no sums"),
        ([variable("a", 4, bytes=None)], "0 bytes on /cpu:0; 1 sum on /cpu:0"),
        ([], "no variables; no sums"),
    ],
    ids=["one device", "two", "copies", "two copies", "spread", "buckets", "each its own", "unknown size", "nothing"],
)
def test_totals_in_a_line(variables, line):
    assert plans.totals_text(plans.totals_of({"variables": variables})) == line


def test_candidates_with_equal_totals_are_grouped():
    lines = plans.lines_at(documents.strategies(), 4)
    assert lines[0] == (
        ["asynchronous", "parameter_server", "drawing", "compressed"], "220 kB on /cpu:0; 10 sums on /cpu:0"
    )
    assert lines[1] == (
        ["replicated_wrong", "replicated"], "220 kB on each of 4 devices; 2 sums over all devices; 2 buckets"
    )
    assert plans.lines_at(documents.document(rows=[documents.failed_row("feed")]), 4) == []


def test_cells_of_the_table_of_variables():
    cells = plans.variable_cells({"variables": [
        variable("a", 400, shape=[10, None], bucket=3, copies=["/device:CPU:0", "/cpu:1"]),
        variable("b", 4, shape=[], gradient=None, reduced_by=None, reduced_on=None, bytes=None),
    ]})
    assert cells == [
        ["a", "10\u00d7?", "float32", "400", "/cpu:0, /cpu:1", "dense", "add_n", "/cpu:0", "3"],
        ["b", "scalar", "float32", "", "/cpu:0", "", "", "", ""],
    ]
    assert all(len(row) == len(plans.VARIABLE_TITLES) for row in cells)
