"""The changes that `--against` prints."""
import re

import pytest
from report import documents

from legacy_towers.report.changes import format_changes, ratio
from legacy_towers.report.document import Spread, Verdict


@pytest.fixture(autouse=True)
def fresh_graph():
    """Replaces the fixture of conftest.py: these tests need no TensorFlow."""


def with_speed(original, pipeline, median, low, high, towers=4):
    """Returns the document with the given examples/s of one pipeline."""
    (row,) = [row for row in original.rows if (row.candidate, row.towers) == (pipeline, towers)]
    return documents.with_row(original, row._replace(examples_per_second=Spread(median, low, high, [])))


def line_of(text, pipeline):
    """Returns the cells of the line of `pipeline` in the first table that has it."""
    pattern = re.escape(pipeline) + "(  |$)"
    return re.split(r" {2,}", next(line for line in text.splitlines() if re.match(pattern, line)))


OLD = documents.document(("synthetic", "feed", "queue"))


@pytest.mark.parametrize("old, new, expected", [
    ((100.0, 98.0, 102.0), (150.0, 147.0, 153.0), (1.5, 147 / 102, 153 / 98)),
    ((100.0, 100.0, 100.0), (50.0, 40.0, 60.0), (0.5, 0.4, 0.6)),
], ids=["both spread", "new spread"])
def test_the_interval_of_a_ratio_is_from_the_ends_of_both_intervals(old, new, expected):
    found = ratio(Spread(*new, rounds=[]), Spread(*old, rounds=[]))
    assert (found.median, found.low, found.high) == pytest.approx(expected)


def test_there_is_no_ratio_to_an_interval_that_includes_zero():
    assert ratio(Spread(1.0, 1.0, 1.0, []), Spread(1.0, 0.0, 2.0, [])) is None


@pytest.mark.parametrize("new, result", [
    ((1500.0, 1400.0, 1600.0), "faster"),
    ((1090.0, 1050.5, 1130.0), "faster"),
    ((1090.0, 1050.0, 1130.0), "not measurably different"),
    ((1090.0, 1049.0, 1130.0), "not measurably different"),
    ((1000.0, 950.0, 1050.0), "not measurably different"),
    ((900.0, 800.0, 950.0), "not measurably different"),
    ((900.0, 800.0, 949.0), "slower"),
], ids=["far above", "just above", "touching", "overlapping", "equal", "touching below", "just below"])
def test_only_separate_intervals_are_reported_as_faster_or_slower(new, result):
    old = with_speed(OLD, "queue", 1000.0, 950.0, 1050.0)
    assert line_of(format_changes(old, with_speed(OLD, "queue", *new)), "queue")[-1] == result


def test_a_line_shows_before_now_and_the_ratio():
    old = with_speed(OLD, "queue", 1000.0, 980.0, 1020.0)
    text = format_changes(old, with_speed(OLD, "queue", 1500.0, 1470.0, 1530.0))
    assert line_of(text, "queue") == [
        "queue", "1,000 \u00b1 20", "1,500 \u00b1 30", "1.50 \u00b1 0.06", "faster"
    ]
    assert "4 towers: 1 faster, 2 not measurably different" in text.splitlines()


def test_a_comparison_with_itself_has_no_changes():
    for document in documents.DOCUMENTS.values():
        text = format_changes(document, document)
        assert text.startswith("job, settings and environment are the same as before\n")
        assert not re.search(r"  (faster|slower|new|only before|works now|fails now)$", text, re.MULTILINE)
    assert "4 towers: nothing is measurably different in examples/s" in format_changes(OLD, OLD).splitlines()


def test_changes_of_environment_settings_and_job_are_first():
    environment = dict(OLD.environment, tensorflow="1.15.5", cores=8, load_average=1.9)
    del environment["onednn"]
    old = OLD._replace(
        environment=environment, settings=dict(OLD.settings, steps=500, towers=[1, 4]), job_options={"net": [1, 2]},
        job="other",
    )
    lines = format_changes(old, OLD).splitlines()
    assert lines[0].startswith("these differ, so the figures below don't show the effect of a change of the job:")
    assert lines[1:10] == [
        "  environment, tensorflow: 1.15.5 before, 2.21.0 now",
        "  environment, cores: 8 before, 2 now",
        "  environment, load average: 1.9 before, 0.12 now",
        "  environment, onednn: not recorded before, TensorFlow's default now",
        "  settings, steps: 500 before, 50 now",
        "  job, name: other before, digits now",
        "  job options, learning rate: not recorded before, 0.05 now",
        "  job options, data dir: not recorded before, digits-data now",
        "  job options, net: 1, 2 before, not recorded now",
    ]


def test_a_tuple_equals_the_list_read_from_json_and_settings_that_rows_show_are_not_compared():
    old = OLD._replace(settings=dict(OLD.settings, sizes=[1, 2], towers=[1, 4], left_out=["queue (no files)"]))
    new = OLD._replace(settings=dict(OLD.settings, sizes=(1, 2)))
    assert format_changes(old, new).startswith("job, settings and environment are the same")


def test_date_and_command_are_reported_and_a_similar_load_is_not():
    environment = dict(OLD.environment, load_average=0.55)
    old = OLD._replace(environment=environment, date="2026-11-19T08:00:00+00:00", command="legacy-towers compare a.py")
    assert format_changes(old, OLD).splitlines()[:4] == [
        "job, settings and environment are the same as before",
        "  run, date: 2026-11-19T08:00:00+00:00 before, 2026-11-20T09:30:00+00:00 now",
        "  run, command: legacy-towers compare a.py before, legacy-towers compare examples/digits.py "
        "--learning-rate 0.05 --html",
        "    page.html now",
    ]


def test_null_differs_from_a_missing_setting():
    old = OLD._replace(settings=dict(OLD.settings, seed=None))
    assert "  settings, seed: none before, not recorded now" in format_changes(old, OLD)
    assert format_changes(old, old).startswith("job, settings and environment are the same")


MEASURED, FAILED = documents.row("dataset"), documents.failed_row("dataset")


@pytest.mark.parametrize("old_row, new_row, cells", [
    (None, MEASURED, ["dataset", "3,273 \u00b1 65", "new"]),
    (MEASURED, None, ["dataset", "3,273 \u00b1 65", "only before"]),
    (FAILED, MEASURED, ["dataset", "failed", "3,273 \u00b1 65", "works now"]),
    (MEASURED, FAILED, ["dataset", "3,273 \u00b1 65", "failed", "fails now"]),
    (FAILED, FAILED, ["dataset", "failed", "failed", "fails as before"]),
    (FAILED, None, ["dataset", "failed", "only before"]),
    (
        documents.row("dataset", examples_per_second=Spread(1.0, 0.0, 2.0, [])),
        documents.row("dataset", examples_per_second=Spread(9.0, 8.0, 10.0, [])),
        ["dataset", "1.00 \u00b1 1.00", "9.00 \u00b1 1.00", "inconclusive: too noisy"],
    ),
], ids=["new", "removed", "works now", "fails now", "fails as before", "failed and removed", "near zero"])
def test_new_removed_and_failed_pipelines(old_row, new_row, cells):
    old = OLD._replace(rows=OLD.rows + ([old_row] if old_row else []))
    new = OLD._replace(rows=OLD.rows + ([new_row] if new_row else []))
    text = format_changes(old, new)
    assert line_of(text, "dataset") == cells
    assert ("dataset failed: the job has no files" in text) == (cells[-1] == "fails now")


def test_a_new_number_of_towers_is_a_table_of_its_own():
    text = format_changes(OLD, documents.document(("synthetic", "feed", "queue"), (2, 4)))
    assert "2 towers: 3 new" in text.splitlines()
    assert "4 towers: nothing is measurably different in examples/s" in text.splitlines()
    text = format_changes(documents.document(("feed",), (1,)), documents.document(("feed",), (4,)))
    assert "1 tower: 1 only before" in text.splitlines() and "4 towers: 1 new" in text.splitlines()


@pytest.mark.parametrize("old, new, expected", [
    (("take queue.", "queue"), ("take feed.", "feed"), "verdict: changed; before: take queue.\n  now: take feed."),
    (("take queue.", "queue"), ("noise.", None), "verdict: changed; before: take queue.\n  now: noise."),
    (("take it.", "queue"), ("take queue.", "queue"), "verdict: queue as before: take queue."),
    (("all tie.", None), ("noise.", None), "verdict: no recommendation, as before: noise."),
], ids=["another", "none", "the same", "none as before"])
def test_the_verdict_is_compared_with_the_earlier_one(old, new, expected):
    before = OLD._replace(verdicts={"4": Verdict(old[0], old[1], [])})
    assert format_changes(before, OLD._replace(verdicts={"4": Verdict(new[0], new[1], [])})).endswith("\n" + expected)


def test_changed_data_is_reported():
    old = OLD._replace(parity=[documents.same("feed"), documents.same("queue")])
    new = OLD._replace(parity=[documents.same("feed"), documents.different("queue")])
    text = re.sub(r"\s+", " ", format_changes(old, new))
    assert (
        "changed data: queue, 4 towers: the same data as the others before, not the same data as the others now at "
        "step 3, tower 1, digits-data/train.tfrecords, byte 4096: the loss is 2.7935 by feed"
    ) in text
    assert "changed data" not in format_changes(old, old)


@pytest.mark.parametrize("name", sorted(set(documents.DOCUMENTS) - {"long names"}))
def test_lines_fit_a_terminal(name):
    text = format_changes(documents.troubled(), documents.DOCUMENTS[name])
    assert max(len(line) for line in text.splitlines()) <= 120
