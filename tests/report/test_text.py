"""A comparison as text for the terminal."""
import collections
import re

import pytest
from report import documents

from legacy_towers.report import figures
from legacy_towers.report.document import Spread, Verdict, Waiting
from legacy_towers.report.text import format_document
from legacy_towers.text.terminal import Layout


@pytest.fixture(autouse=True)
def fresh_graph():
    """Replaces the fixture of conftest.py: these tests need no TensorFlow."""


def lines_of(document):
    return format_document(document).splitlines()


def cells_of(document, pipeline):
    """Returns the cells of the row of `pipeline` in the first table that has it."""
    line = next(line for line in lines_of(document) if line.startswith(pipeline + " "))
    return re.split(r" {2,}", line)


@pytest.mark.parametrize("name", sorted(set(documents.DOCUMENTS) - {"long names"}))
def test_lines_fit_a_terminal(name):
    lines = lines_of(documents.DOCUMENTS[name])
    assert max(len(line) for line in lines) <= 120
    assert [line for line in lines if line != line.rstrip()] == []


@pytest.mark.parametrize("width", [40, 80, 100])
@pytest.mark.parametrize("name", sorted(documents.DOCUMENTS))
def test_a_narrow_terminal_shows_every_figure(name, width):
    document = documents.DOCUMENTS[name]
    lines = format_document(document, Layout(width)).splitlines()
    assert max(len(line) for line in lines) <= width
    missing = collections.Counter(figures_of(format_document(document, Layout(10000))))
    missing.subtract(figures_of("\n".join(lines)))
    assert [figure for figure, count in missing.items() if count > 0] == []


def figures_of(text):
    """Returns all figures with an interval in `text`."""
    return re.findall(r"[\d.,]+ \u00b1 [\d.]+", re.sub(r"\s+", " ", text))


def test_the_winner_and_failures_are_coloured():
    lines = format_document(documents.troubled(), Layout(120, colour=True)).splitlines()
    winner = documents.troubled().verdicts["4"].winner
    green = [line for line in lines if line.startswith("\033[32m")]
    red = [line for line in lines if line.startswith("\033[31m")]
    assert [line.startswith("\033[32m" + winner) for line in green] == [True] + [False] * (len(green) - 1)
    assert sum("failed:" in line for line in red) == 2 and any(line.startswith("\033[31mqueue ") for line in red)
    assert all(line.endswith("\033[0m") for line in green + red)
    assert "\033" not in format_document(documents.troubled(), Layout(120))


def test_long_names_are_complete():
    text = format_document(documents.DOCUMENTS["long names"])
    assert "dataset:" + "very_long_" * 12 in text
    assert "job_" * 40 in re.sub(r"\n *", "", text)


def test_a_row_shows_its_figures():
    assert cells_of(documents.document(), "feed") == [
        "feed", "2,054 \u00b1 41", "31.2", "36.8", "41 %", "1.57", "560", "64.0 (0)", "0.59 \u00b1 0.01"
    ]
    assert cells_of(documents.document(documents.PIPELINES), "staged+feed")[-2] == "64.0 (64.0)"


def test_rows_are_synthetic_then_by_speed_then_failures():
    text = format_document(documents.troubled())
    table = text.split("\n4 towers\n")[1].split("\n* ")[0].splitlines()[2:]
    pipelines = [line.split()[0] for line in table]
    assert pipelines[:3] == ["synthetic", "staged+dataset:next_per_tower", "staged+dataset:sharded"]
    assert pipelines[-4:] == ["feed", "queue", "dataset:per_device", "staged+queue"]


def test_different_estimates_of_waiting_are_both_shown():
    text = format_document(documents.troubled())
    assert "41|29 %*" in text and text.count("\n* The two estimates of waiting differ") == 1
    assert "*" not in format_document(documents.document())


def test_cells_of_missing_figures_are_empty():
    row = documents.row("feed")._replace(waiting=None, cpu_cores=None, fed_bytes_per_step=None, ratio_to_synthetic=None)
    cells = cells_of(documents.document(("feed",), rows=[row]), "feed")
    assert cells == ["feed", "2,054 \u00b1 41", "31.2", "36.8", "560"]


def test_equal_failures_are_reported_once():
    text = re.sub(r"\s+", " ", format_document(documents.troubled()))
    sentence = "the job has no files: this pipeline reads files, and the job has arrays"
    assert text.count("queue, dataset:per_device failed: " + sentence) == 1 and text.count(sentence) == 1
    assert "staged+queue failed: OutOfRangeError" in text


def test_scaling_is_shown_for_several_numbers_of_towers():
    assert "scaling" not in lines_of(documents.document())
    original = documents.document(("synthetic", "feed"), (1, 2, 4))
    text = format_document(documents.with_row(original, documents.failed_row("feed", 2)))
    table = text.split("\nscaling\n")[1].split("\n\n")[0].splitlines()
    assert [re.split(r" {2,}", line) for line in table] == [
        ["speed-up over one tower", "1 tower", "2 towers", "4 towers"],
        ["-" * 23, "-------", "-----------", "-----------"],
        ["synthetic", "1", "1.87 \u00b1 0.04", "3.48 \u00b1 0.07"],
        ["feed", "1", "failed", "3.48 \u00b1 0.07"],
    ]


def test_scaling_over_many_numbers_of_towers_fits():
    lines = lines_of(documents.document(documents.PIPELINES, tuple(range(1, 10))))
    assert max(len(line) for line in lines) <= 120
    scaling = lines[lines.index("scaling") :]
    assert any(re.match(r"queue +1 +1\.87 +2\.69 ", line) for line in scaling)


@pytest.mark.parametrize("parity, expected", [
    ([documents.same("feed")], "4 towers: the one pipeline gives the same examples in an epoch and"),
    ([documents.same("feed"), documents.same("queue")], "4 towers: both pipelines give the same examples"),
    ([documents.same(pipeline) for pipeline in "abc"], "4 towers: all 3 pipelines give the same examples"),
    ([documents.same("feed"), documents.different("queue")], "4 towers: 1 of 2 pipelines gives the same examples"),
    ([documents.same("feed"), documents.rounding("queue")],
     "4 towers: both pipelines give the same examples in an epoch and, in a fixed order, the same losses, 1 of"),
    ([documents.rounding("queue")], "in a fixed order, the same losses except for"),
    ([documents.rounding("queue")], "queue: same, rounding: 10 losses in the fixed order are the same"),
    ([documents.not_compared("feed")], "4 towers: no input pipeline is known to give the same examples"),
    ([], None),
], ids=[
    "one", "two", "three", "one differs", "one rounds", "all round", "rounding in a line", "none compared", "nothing",
])
def test_summary_of_parity(parity, expected):
    text = format_document(documents.document(parity=parity))
    assert expected in text if expected else "parity" not in text and "same examples" not in text


def test_the_first_difference_is_reported():
    text = re.sub(r"\s+", " ", format_document(documents.troubled()))
    assert (
        "dataset:sharded differs at step 3, tower 1, digits-data/train.tfrecords, byte 4096: the loss is 2.7935 by "
        "feed and 2.7812 by dataset:sharded"
    ) in text
    assert "feed:background: a generator has no ids, so nothing was compared" in text
    assert "10 of 13 pipelines give the same examples" in text


def test_a_difference_without_details_is_reported_by_its_sentence():
    parity = documents.different("queue")._replace(first_difference=None)
    assert "  queue differs: the losses part at step 3" in lines_of(documents.document(parity=[parity]))


def test_the_verdict_is_last():
    evidence = ["one figure", "another figure"]
    verdicts = {"4": Verdict("take queue.", "queue", evidence)}
    text = format_document(documents.document(verdicts=verdicts))
    assert text.endswith("\n\nverdict: take queue.\n  - one figure\n  - another figure")
    verdicts["1"] = Verdict("nothing is better.", None, [])
    text = format_document(documents.document(towers=(1, 4), verdicts=verdicts))
    assert text.endswith(
        "\n\nverdict, 1 tower: nothing is better.\nverdict, 4 towers: take queue.\n  - one figure\n  - another figure"
    )


@pytest.mark.parametrize("value, expected", [
    (0, "0"),
    (0.0005, "0.000500"),
    (0.0123, "0.012"),
    (0.9949, "0.995"),
    (0.996, "1.00"),
    (9.94, "9.94"),
    (9.96, "10.0"),
    (99.6, "100"),
    (12345.6, "12,346"),
    (-12.34, "-12.3"),
])
def test_numbers_have_three_significant_digits(value, expected):
    assert figures.number(value) == expected


@pytest.mark.parametrize("share, expected", [
    (0.0, "0 %"), (0.0004, "0 %"), (0.004, "0.4 %"), (0.0096, "1 %"), (0.406, "41 %"), (1.0, "100 %"),
])
def test_percent(share, expected):
    assert figures.percent(share) == expected


def test_a_spread_has_the_decimals_of_its_median():
    assert figures.with_spread(Spread(12.34, 11.0, 13.0, [])) == "12.3 \u00b1 1.0"
    assert figures.with_spread(None) is None


def test_a_negative_estimate_of_waiting_is_shown_as_0():
    waits = Waiting(documents.spread(-0.012), documents.spread(-0.001), differ=False)
    assert cells_of(documents.document(rows=[documents.row("queue", waiting=waits)]), "queue")[4] == "0 %"


def test_equal_estimates_of_waiting_are_one_figure():
    waits = Waiting(documents.spread(0.2), documents.spread(0.22), differ=False)
    assert cells_of(documents.document(rows=[documents.row("queue", waiting=waits)]), "queue")[4] == "20 %"
