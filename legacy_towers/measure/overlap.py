"""Computes the share of a step in which towers computed at the same time, by arithmetic on time intervals."""
from typing import Dict, Iterable, List, Mapping, NamedTuple, Sequence, Tuple

Interval = Tuple[int, int]  # start, end


class Overlap(NamedTuple):
    """How towers overlapped in a step, from the first tower op's start to the last tower op's end; can be printed."""

    shared: float  # share of the step in which at least two towers computed
    per_tower: Dict[int, float]  # share of the step in which each tower computed
    step_milliseconds: float

    def __str__(self) -> str:
        if len(self.per_tower) < 2:
            ran = ["only tower {}".format(tower) for tower in self.per_tower] or ["no tower"]
            return "{} computed in this step: there is nothing to overlap".format(ran[0])
        percent = 100 * self.shared
        if not percent:
            return "towers never overlapped in the step (first tower op to last): the loop is serial"
        figure = "{:.0f} %".format(percent) if percent >= 1 else "less than 1 %"
        verdict = "the loop is not serial" if percent >= 5 else "the loop is nearly serial"
        return "towers overlapped for {} of the step (first tower op to last): {}".format(figure, verdict)


def merged(intervals: Iterable[Interval]) -> List[Interval]:
    """Returns the union of intervals as ascending ones that neither touch nor overlap; empty ones are dropped.

        0--3  2--5  7--9   ->   0--5  7--9
    """
    union: List[Interval] = []
    for start, end in sorted(intervals):
        if end <= start:
            continue
        if union and start <= union[-1][1]:
            union[-1] = union[-1][0], max(end, union[-1][1])
        else:
            union.append((start, end))
    return union


def overlap_of(towers: Mapping[int, Sequence[Interval]]) -> Overlap:
    """Returns how towers overlapped.

    Args:
      towers: tower -> when each of its ops computed, in nanoseconds; ops of one tower may overlap each other.
    """
    busy = {tower: merged(intervals) for tower, intervals in towers.items()}
    busy = {tower: busy[tower] for tower in sorted(busy) if busy[tower]}
    if not busy:
        return Overlap(0.0, {}, 0.0)
    start = min(intervals[0][0] for intervals in busy.values())
    span = max(intervals[-1][1] for intervals in busy.values()) - start
    # +1 where a tower starts to compute, -1 where it ends; at equal times the ends come first.
    changes = sorted(
        change for intervals in busy.values() for begin, end in intervals for change in ((begin, 1), (end, -1))
    )
    together = 0
    computing = 0
    before = start
    for moment, change in changes:
        if computing >= 2:
            together += moment - before
        computing += change
        before = moment
    shares = {tower: sum(end - begin for begin, end in intervals) / span for tower, intervals in busy.items()}
    return Overlap(together / span, shares, span / 1e6)
