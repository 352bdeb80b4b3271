"""The geometry of the page's charts: figures to positions, as plain values that the templates draw.

Positions along a bar or a timeline are percents of its width, so that a chart is as wide as its place on the page.
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
    """A median as a bar, its interval as a line across the bar's end; percents of the chart's width."""

    median: float
    low: float
    high: float


class StepBar(NamedTuple):
    """A step as a bar whose first part is waiting; percents of the chart's width."""

    wait: float
    work: float
    other_wait: Optional[float]  # the end of the waiting by the second measure, where the two differ


class Stretch(NamedTuple):
    """A bar of the timeline; percents of the chart's width."""

    kind: str
    left: float
    width: float
    start_ms: float
    end_ms: float


class Tick(NamedTuple):
    """A label of an axis; `position` in percents of its length."""

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
    labelled: bool  # whether there is room for the number of towers below
    spread: Spread


class Panel(NamedTuple):
    """One candidate's speed-up over the number of towers."""

    candidate: str
    points: List[Point]
    ideal: Tuple[float, float, float, float]  # x1, y1, x2, y2
    ticks: List[Tuple[float, float]]  # speed-up, y


def _percent(value: float, whole: float) -> float:
    return 100.0 * min(max(value / whole, 0.0), 1.0) if whole > 0 else 0.0


def highest(rows: Sequence[Row]) -> float:
    """Returns the upper end of the axis of examples/s: all intervals fit."""
    return max([row.examples_per_second.high for row in rows if row.examples_per_second is not None] or [0.0])


def speed_bar(spread: Spread, whole: float) -> SpeedBar:
    """Returns the bar of examples/s on an axis from 0 to `whole`."""
    return SpeedBar(_percent(spread.median, whole), _percent(spread.low, whole), _percent(spread.high, whole))


def step_bar(row: Row, longest_ms: float) -> Optional[StepBar]:
    """Returns the bar of a median step on an axis from 0 to `longest_ms`; None where no step was timed."""
    if row.step_ms_p50 is None:
        return None
    length = _percent(row.step_ms_p50, longest_ms)
    if row.waiting is None:
        return StepBar(0.0, length, None)
    wait = length * min(max(row.waiting.by_replay.median, 0.0), 1.0)
    other = length * min(max(row.waiting.by_trace.median, 0.0), 1.0) if row.waiting.differ else None
    return StepBar(wait, length - wait, other)


def timeline_rows(bars: Sequence[Bar], longest_ms: float) -> List[Tuple[str, List[Stretch]]]:
    """Returns (title, stretches) for each row of a timeline, in the order in which the rows first come."""
    rows: Dict[str, List[Stretch]] = {}
    for bar in bars:
        left = _percent(bar.start_ms, longest_ms)
        width = max(_percent(bar.end_ms, longest_ms) - left, 0.2)  # a short bar can still be seen
        rows.setdefault(bar.row, []).append(Stretch(bar.kind, left, width, bar.start_ms, bar.end_ms))
    return list(rows.items())


def last_ms(rows: Sequence[Row]) -> float:
    """Returns the end of the latest bar of all timelines."""
    return max([bar.end_ms for row in rows for bar in row.timeline] or [0.0])


def ticks(whole: float, most: int = 5) -> List[Tick]:
    """Returns labels at round values from 0 to at most `whole`, `most` of them or fewer."""
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
        panels.append(Panel(name, _points(spreads, x_of, y_of), ideal, _apart(marks)))
    return panels


def _points(spreads: Dict[int, Spread], x_of: _Scale, y_of: _Scale) -> List[Point]:
    labelled: List[float] = []
    # The ends first: they keep their labels, and what is between them has one where there is room.
    inner = sorted(spreads)[1:-1]
    for x in map(x_of, [max(spreads), min(spreads)] + inner):
        if all(abs(x - other) >= _LABEL_WIDTH for other in labelled):
            labelled.append(x)
    points = []
    for towers in sorted(spreads):
        spread, x = spreads[towers], x_of(towers)
        points.append(Point(towers, x, y_of(spread.median), y_of(spread.low), y_of(spread.high), x in labelled, spread))
    return points


def _apart(marks: List[Tuple[float, float]]) -> List[Tuple[float, float]]:
    """Leaves out the labels of the vertical axis that would touch the one below."""
    kept: List[Tuple[float, float]] = []
    for mark in marks:
        if not kept or kept[-1][1] - mark[1] >= _LABEL_WIDTH:
            kept.append(mark)
    return kept
