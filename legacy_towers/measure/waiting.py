"""How long a step waits for its input, read from the step's trace.

    input ops [====================]                    a get_next, a dequeue: waits for data
    compute          [======]               [========]  ops of towers, gradients, update
    exposed   [======]      [======]                    an input op waited, and nothing else ran

Time in which an input op waited while other ops computed costs nothing. The time in which a hook made the batch before
the run is not in the trace; the caller passes it to `traced_step`.
"""
from typing import Collection, List, NamedTuple, Optional, Sequence, Tuple

from legacy_towers.measure.overlap import Interval, merged
from legacy_towers.measure.step_ops import StepOp

# (row, kind, start, end): rows "tower 0", "towers wait", "input", "variables, update"; milliseconds.
Stretch = Tuple[str, str, float, float]


class TracedStep(NamedTuple):
    """Where one traced step's time went, in nanoseconds since the epoch."""

    start: int  # when its first op began, or hooks to make or wait for the batch
    end: int  # when its last op ended
    fed: Optional[Interval]  # the hooks' time
    input_ops: List[Interval]
    compute: List[Interval]
    exposed: List[Interval]

    @property
    def waiting_share(self) -> float:
        """The share of the step in which input was waited for, or made by a hook, and nothing ran; from 0 to 1."""
        waited = sum(end - start for start, end in self.exposed)
        if self.fed is not None:
            waited += self.fed[1] - self.fed[0]
        return min(1.0, waited / max(1, self.end - self.start))


def traced_step(ops: Sequence[StepOp], input_ops: Collection[str], waited: int) -> TracedStep:
    """Returns where a traced step's time went.

    Starting the run and the tracing takes milliseconds between the hooks and the first op. They are left out, as if the
    hooks had ended when the first op started.

    Args:
      waited: how long hooks made or waited for the batch before the run, in nanoseconds.
    """
    pending = merged((op.start, op.end) for op in ops if op.name in input_ops)
    compute = merged((op.start, op.end) for op in ops if op.name not in input_ops and op.is_computing)
    begin = min([op.start for op in ops] or [0])
    end = max([op.end for op in ops] or [0])
    fed = (begin - waited, begin) if waited > 0 else None
    return TracedStep(begin - max(0, waited), end, fed, pending, compute, without(pending, compute))


def without(intervals: Sequence[Interval], others: Sequence[Interval]) -> List[Interval]:
    """Returns the parts of `intervals` that are outside all `others`; both as returned by `merged`.

        0-----5  7--9   without   2-3   8------12   ->   0-2  3-5  7-8
    """
    left: List[Interval] = []
    for start, end in intervals:
        for begin, stop in others:
            if stop <= start or begin >= end:
                continue
            if begin > start:
                left.append((start, begin))
            start = max(start, stop)
        if start < end:
            left.append((start, end))
    return left


def stretches(step: TracedStep, ops: Sequence[StepOp], input_ops: Collection[str], most: int = 300) -> List[Stretch]:
    """Returns the step as at most `most` stretches for a picture; short gaps within a row are closed."""
    rows: List[Tuple[str, str, List[Interval]]] = []
    for tower in sorted({op.tower for op in ops if op.tower is not None}):
        of_tower = [
            (op.start, op.end) for op in ops if op.tower == tower and op.is_computing and op.name not in input_ops
        ]
        rows.append(("tower {}".format(tower), "compute", of_tower))
    shared = [(op.start, op.end) for op in ops if op.tower is None and op.is_computing and op.name not in input_ops]
    rows.append(("variables, update", "compute", shared))
    rows.append(("input", "wait", list(step.input_ops)))
    rows.append(("input", "feed", [] if step.fed is None else [step.fed]))
    rows.append(("towers wait", "wait", list(step.exposed)))
    gap = (step.end - step.start) // 1000
    while True:
        closed = [(row, kind, _closed(intervals, gap)) for row, kind, intervals in rows]
        if sum(len(intervals) for _, _, intervals in closed) <= max(most, len(closed)):
            break
        gap = max(1, gap * 2)
    return [
        (row, kind, (start - step.start) / 1e6, (end - step.start) / 1e6)
        for row, kind, intervals in closed
        for start, end in intervals
    ]


def _closed(intervals: Sequence[Interval], gap: int) -> List[Interval]:
    joined: List[Interval] = []
    for start, end in merged(intervals):
        if joined and start - joined[-1][1] <= gap:
            joined[-1] = joined[-1][0], end
        else:
            joined.append((start, end))
    return joined
