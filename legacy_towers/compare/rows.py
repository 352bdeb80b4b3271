"""From what the processes measured to the rows of the document."""
from typing import Any, Dict, List, Optional, Sequence

import numpy as np

from legacy_towers.compare.candidates import SYNTHETIC
from legacy_towers.compare.tasks import REPLAY
from legacy_towers.measure.statistics import Interval, median_interval, ratio_interval, unpaired_ratio_interval
from legacy_towers.report.document import Bar, Parity, Row, Spread, Waiting

DIFFER = 0.05  # the two figures of waiting, as shares of the step


class Measured:
    """What was measured at one number of towers; names are ways in, and REPLAY.

    Attributes:
      examples: of all towers in a step.
      plans: name -> the way's plan.
      turns: name -> the reply to each turn.
      traces: name -> the reply to each round of traces.
      resources: name -> the reply to "resources".
      failed: name -> why it has no figures.
      parity: whether the ways give the same examples; empty where that was not asked.
    """

    def __init__(self, examples: int) -> None:
        self.examples = examples
        self.plans: Dict[str, Dict[str, Any]] = {}
        self.turns: Dict[str, List[Dict[str, Any]]] = {}
        self.traces: Dict[str, List[Dict[str, Any]]] = {}
        self.resources: Dict[str, Dict[str, Any]] = {}
        self.failed: Dict[str, str] = {}
        self.parity: List[Parity] = []

    def rates(self, name: str) -> List[float]:
        """Returns examples/s of each round."""
        return [self.examples * len(turn["step_seconds"]) / turn["seconds"] for turn in self.turns[name]]


def make_rows(ways: Sequence[str], towers: int, measured: Measured, others: Sequence[Row]) -> List[Row]:
    """Returns a row per way; `others` are the rows of other numbers of towers, for the scaling."""
    return [_row(way, towers, measured, others) for way in ways]


def _row(way: str, towers: int, measured: Measured, others: Sequence[Row]) -> Row:
    if way in measured.failed:
        return _failed_row(way, towers, measured.failed[way])
    turns = measured.turns[way]
    steps = [seconds * 1000 for turn in turns for seconds in turn["step_seconds"]]
    rates = measured.rates(way)
    ratio = None
    if SYNTHETIC in measured.turns and SYNTHETIC not in measured.failed:
        ratio = spread(
            ratio_interval(rates, measured.rates(SYNTHETIC)), list(np.divide(rates, measured.rates(SYNTHETIC)))
        )
    return Row(
        way=way,
        towers=towers,
        failed=None,
        plan=measured.plans[way],
        examples_per_second=spread(median_interval(rates), rates),
        step_ms_p50=float(np.percentile(steps, 50)),
        step_ms_p95=float(np.percentile(steps, 95)),
        waiting=None if way == SYNTHETIC else _waiting(way, measured),
        cpu_cores=_spread_of([turn["cpu_seconds"] / turn["seconds"] for turn in turns]),
        peak_memory_bytes=measured.resources[way]["peak_memory_bytes"],
        fed_bytes_per_step=sum(turn["fed_bytes"] for turn in turns) / len(steps),
        copied_bytes_per_step=sum(turn["copied_bytes"] for turn in turns) / len(steps),
        ratio_to_synthetic=ratio,
        speedup_over_one_tower=_speedup(way, rates, others),
        timeline=[Bar(*stretch) for stretch in measured.traces[way][-1]["timeline"]],
    )


def _failed_row(way: str, towers: int, why: str) -> Row:
    nothing: Dict[str, Any] = dict.fromkeys(Row._fields)
    nothing.update(way=way, towers=towers, failed=why, timeline=[])
    return Row(**nothing)


def _waiting(way: str, measured: Measured) -> Optional[Waiting]:
    if REPLAY in measured.failed:
        return None
    by_replay = _spread_of([
        1 - mine / cached for mine, cached in zip(measured.rates(way), measured.rates(REPLAY))
    ], 0.0, 1.0)
    by_trace = _spread_of([float(np.mean(trace["waiting_shares"])) for trace in measured.traces[way]], 0.0, 1.0)
    return Waiting(by_replay, by_trace, abs(by_replay.median - by_trace.median) > DIFFER)


def _speedup(way: str, rates: Sequence[float], others: Sequence[Row]) -> Optional[Spread]:
    for row in others:
        if row.way == way and row.towers == 1 and row.examples_per_second is not None:
            alone = row.examples_per_second.rounds
            return spread(unpaired_ratio_interval(rates, alone), list(np.array(rates) / np.median(alone)))
    return None


def _spread_of(rounds: Sequence[float], least: float = 0.0, most: float = float("inf")) -> Spread:
    """Returns the spread of `rounds`, held within bounds that the true figure can't leave."""
    interval = Interval(*(min(most, max(least, value)) for value in median_interval(rounds)))
    return spread(interval, rounds)


def spread(interval: Interval, rounds: Sequence[float]) -> Spread:
    """Returns an interval as the document has it."""
    return Spread(interval.median, interval.low, interval.high, [float(value) for value in rounds])
