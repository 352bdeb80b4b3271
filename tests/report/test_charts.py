"""The geometry of charts."""
import pytest
from report import documents

from legacy_towers.report import charts
from legacy_towers.report.document import Bar, Spread, Waiting


@pytest.fixture(autouse=True)
def fresh_graph():
    """Replaces the fixture of conftest.py: these tests need no TensorFlow."""


def test_a_speed_bar_has_percentages_of_the_axis():
    rows = [documents.row("feed", examples_per_second=Spread(50.0, 40.0, 100.0, [])), documents.failed_row("queue")]
    assert charts.highest(rows) == 100.0
    assert charts.speed_bar(rows[0].examples_per_second, 200.0) == (25.0, 20.0, 50.0)
    assert charts.highest([]) == 0.0 and charts.speed_bar(Spread(0.0, 0.0, 0.0, []), 0.0) == (0.0, 0.0, 0.0)


def test_a_step_bar_has_a_part_for_waiting():
    def waiting(replay, trace, differ):
        return Waiting(Spread(replay, replay, replay, []), Spread(trace, trace, trace, []), differ)

    row = documents.row("feed", step_ms_p50=20.0, waiting=waiting(0.25, 0.3, False))
    assert charts.step_bars(row, 40.0) == [("replay", 0.25, 12.5, 37.5), ("trace", 0.3, 15.0, 35.0)]
    differing = row._replace(waiting=waiting(0.25, 0.5, True))
    assert charts.step_bars(differing, 40.0) == [("replay", 0.25, 12.5, 37.5), ("trace", 0.5, 25.0, 25.0)]
    assert charts.step_bars(row._replace(waiting=None), 40.0) == [("", None, 0.0, 50.0)]
    # A measured share may be slightly below 0.
    outside = row._replace(waiting=waiting(-0.02, 1.2, True))
    assert charts.step_bars(outside, 40.0) == [("replay", 0.0, 0.0, 50.0), ("trace", 1.0, 50.0, 0.0)]
    assert charts.step_bars(row._replace(step_ms_p50=None), 40.0) == []


def test_a_timeline_keeps_the_order_of_its_rows():
    bars = [Bar("b", "wait", 0.0, 5.0), Bar("a", "compute", 5.0, 10.0), Bar("b", "feed", 5.0, 5.0)]
    assert charts.last_ms([documents.row("feed", timeline=bars)]) == 10.0
    assert charts.timeline_rows(bars, 20.0) == [
        ("b", [("wait", 0.0, 25.0, 0.0, 5.0), ("feed", 25.0, 0.2, 5.0, 5.0)]),
        ("a", [("compute", 25.0, 25.0, 5.0, 10.0)]),
    ]


@pytest.mark.parametrize("whole, values", [
    (0.0, []),
    (30.0, [0, 10, 20, 30]),
    (31.2, [0, 10, 20, 30]),
    (4.0, [0, 1, 2, 3, 4]),
    (0.09, [0, 0.05]),
    (1234.0, [0, 500, 1000]),
])
def test_ticks_are_round_values_within_the_axis(whole, values):
    found = charts.ticks(whole)
    assert [tick.value for tick in found] == pytest.approx(values)
    assert [tick.position for tick in found] == pytest.approx([100 * value / whole for value in values])
    assert [tick.anchor for tick in found][:1] == ["start"][: len(values)]
    assert all(tick.anchor == "end" for tick in found if tick.position > 93)


def test_scaling_panels_share_their_axes_and_contain_all_intervals():
    document = documents.document(("synthetic", "feed"), (1, 2, 4))
    fast = [row for row in document.rows if row.candidate == "feed" and row.towers == 4][0]
    fast = fast._replace(speedup_over_one_tower=Spread(4.5, 4.0, 5.0, []))
    panels = charts.scaling_panels(documents.with_row(document, fast).rows, ["feed", "synthetic", "gone"])
    assert [panel.candidate for panel in panels] == ["feed", "synthetic"]
    assert panels[0].ideal == panels[1].ideal and panels[0].ticks == panels[1].ticks
    assert [point.towers for point in panels[0].points] == [1, 2, 4]
    for panel in panels:
        for point in panel.points:
            assert 0 <= point.high <= point.y <= point.low <= charts.PANEL_HEIGHT
            assert 0 <= point.x <= charts.PANEL_WIDTH
    # A speed-up of 4 with 4 towers is at the end of the ideal line, 4.5 above it.
    assert panels[0].points[-1].low == pytest.approx(panels[0].ideal[3])


def test_a_scaling_panel_needs_two_points():
    assert charts.scaling_panels(documents.document(towers=(4,)).rows, documents.FIVE_PIPELINES) == []
    assert charts.scaling_panels(documents.document(towers=(1,)).rows, documents.FIVE_PIPELINES) == []
    assert charts.scaling_panels(documents.document(towers=(2, 4)).rows, documents.FIVE_PIPELINES) == []


def test_labels_that_would_overlap_are_left_out():
    panel = charts.scaling_panels(documents.document(towers=(1, 2, 3, 64)).rows, ["feed"])[0]
    assert [point.towers for point in panel.points if point.labelled] == [1, 64]
