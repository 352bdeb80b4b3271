"""Computes the positions of the elements of charts, which the templates draw.

Positions along a bar or a timeline are percentages of its width.
"""
import math
from typing import Callable, Dict, List, NamedTuple, Optional, Sequence, Tuple

from legacy_towers.report.document import Bar, Row, Spread

# The plot of a panel of the scaling chart, in units of its viewBox.
PANEL_WIDTH, PANEL_HEIGHT = 160.0, 116.0
_LEFT, _RIGHT, _TOP, _BOTTOM = 18.0, 152.0, 8.0, 98.0
_LABEL_WIDTH = 13.0  # least distance between two labels of an axis
_Scale = Callable[[float], float]


class SpeedBar(NamedTuple):
    """A median as a bar, its interval as a line across the bar's end; percentages of the chart's width."""

    median: float
    low: float
    high: float


class StepBar(NamedTuple):
    """A step as a bar whose first part is waiting, by one of the two estimates."""

    estimate: str  # "replay" or "trace"; "" if waiting is not measured
    share: Optional[float]  # the share of waiting in the step, from 0 to 1
    wait: float  # percentage of the chart's width
    work: float


class Stretch(NamedTuple):
    """A bar of the timeline; percentages of the chart's width."""

    kind: str
    left: float
    width: float
    start_ms: float
    end_ms: float


class Tick(NamedTuple):
    """A label of an axis; `position` is a percentage of its length."""

    position: float
    value: float
    anchor: str  # of SVG: "start", "middle" or "end", so that no label leaves the chart


class Point(NamedTuple):
    """A measured speed-up, in units of the panel's viewBox."""

    towers: int
    x: float
    y: float
    low: float
    high: float
    labelled: bool  # whether the number of towers is shown below
    spread: Spread


class Panel(NamedTuple):
    """One candidate's speed-up as a function of the number of towers."""

    candidate: str
    points: List[Point]
    ideal: Tuple[float, float, float, float]  # x1, y1, x2, y2
    ticks: List[Tuple[float, float]]  # speed-up, y


def _percent(value: float, whole: float) -> float:
    return 100.0 * min(max(value / whole, 0.0), 1.0) if whole > 0 else 0.0


def highest(rows: Sequence[Row]) -> float:
    """Returns the upper end of the axis of examples/s, the end of the highest interval."""
    return max([row.examples_per_second.high for row in rows if row.examples_per_second is not None] or [0.0])


def speed_bar(spread: Spread, whole: float) -> SpeedBar:
    """Returns the bar of examples/s on an axis from 0 to `whole`."""
    return SpeedBar(_percent(spread.median, whole), _percent(spread.low, whole), _percent(spread.high, whole))


def step_bars(row: Row, longest_ms: float) -> List[StepBar]:
    """Returns the bars of a median step on an axis from 0 to `longest_ms`, one per estimate of its waiting."""
    if row.step_ms_p50 is None:
        return []
    length = _percent(row.step_ms_p50, longest_ms)
    if row.waiting is None:
        return [StepBar("", None, 0.0, length)]
    bars = []
    for estimate, spread in (("replay", row.waiting.by_replay), ("trace", row.waiting.by_trace)):
        share = min(max(spread.median, 0.0), 1.0)
        bars.append(StepBar(estimate, share, length * share, length * (1 - share)))
    return bars


def timeline_rows(bars: Sequence[Bar], longest_ms: float) -> List[Tuple[str, List[Stretch]]]:
    """Returns (title, stretches) for each row of a timeline, in the order of first appearance."""
    rows: Dict[str, List[Stretch]] = {}
    for bar in bars:
        left = _percent(bar.start_ms, longest_ms)
        width = max(_percent(bar.end_ms, longest_ms) - left, 0.2)  # so that short bars are visible
        rows.setdefault(bar.row, []).append(Stretch(bar.kind, left, width, bar.start_ms, bar.end_ms))
    return list(rows.items())


def last_ms(rows: Sequence[Row]) -> float:
    """Returns the end of the latest bar of all timelines."""
    return max([bar.end_ms for row in rows for bar in row.timeline] or [0.0])


def ticks(whole: float, most: int = 5) -> List[Tick]:
    """Returns at most `most` labels at round values from 0 to at most `whole`."""
    if whole <= 0:
        return []
    step = _round_step(whole / (most - 1))
    found = []
    for count in range(int(math.floor(whole / step + 1e-9)) + 1):
        position = _percent(count * step, whole)
        anchor = "start" if count == 0 else "end" if position > 93 else "middle"
        found.append(Tick(position, count * step, anchor))
    return found


def _round_step(least: float) -> float:
    """Returns the smallest of 1, 2, 5, 10, 20, 50, ... (and their tenths) that is not below `least`."""
    power = 10.0 ** math.floor(math.log10(least))
    return next(factor * power for factor in (1.0, 2.0, 5.0, 10.0) if factor * power >= least * (1 - 1e-9))


def scaling_panels(rows: Sequence[Row], candidates: Sequence[str]) -> List[Panel]:
    """Returns a panel for each of `candidates` that has a speed-up over one tower; all have the same axes."""
    measured: Dict[str, Dict[int, Spread]] = {}
    for row in rows:
        if row.towers == 1 and row.failed is None:
            measured.setdefault(row.candidate, {})[1] = Spread(1.0, 1.0, 1.0, [])
        elif row.speedup_over_one_tower is not None:
            measured.setdefault(row.candidate, {})[row.towers] = row.speedup_over_one_tower
    measured = {name: measured[name] for name in candidates if len(measured.get(name, {})) > 1}
    if not measured:
        return []
    most = max(towers for spreads in measured.values() for towers in spreads)
    top = max([float(most)] + [spread.high for spreads in measured.values() for spread in spreads.values()])

    def x_of(towers: float) -> float:
        return _LEFT + (towers - 1) / (most - 1) * (_RIGHT - _LEFT)

    def y_of(speedup: float) -> float:
        return _BOTTOM - speedup / top * (_BOTTOM - _TOP)

    ideal = (x_of(1), y_of(1), x_of(most), y_of(most))
    marks = [(float(value), y_of(value)) for value in sorted({0, 1, most})]
    panels = []
    for name, spreads in measured.items():
        panels.append(Panel(name, _points(spreads, x_of, y_of), ideal, _without_overlap(marks)))
    return panels


def _points(spreads: Dict[int, Spread], x_of: _Scale, y_of: _Scale) -> List[Point]:
    labelled: List[float] = []
    # The ends always have labels; points between them only if the labels do not overlap.
    inner = sorted(spreads)[1:-1]
    for x in map(x_of, [max(spreads), min(spreads)] + inner):
        if all(abs(x - other) >= _LABEL_WIDTH for other in labelled):
            labelled.append(x)
    points = []
    for towers in sorted(spreads):
        spread, x = spreads[towers], x_of(towers)
        points.append(Point(towers, x, y_of(spread.median), y_of(spread.low), y_of(spread.high), x in labelled, spread))
    return points


def _without_overlap(marks: List[Tuple[float, float]]) -> List[Tuple[float, float]]:
    """Returns the marks of the vertical axis without those whose labels would touch the one below."""
    kept: List[Tuple[float, float]] = []
    for mark in marks:
        if not kept or kept[-1][1] - mark[1] >= _LABEL_WIDTH:
            kept.append(mark)
    return kept
