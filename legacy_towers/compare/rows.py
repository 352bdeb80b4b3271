"""Computes the rows of the document from what the worker processes measured."""
from typing import Any, Dict, List, Optional, Sequence

import numpy as np

from legacy_towers.compare.candidates import Candidates
from legacy_towers.measure.candidate import Candidate
from legacy_towers.measure.statistics import Interval, median_interval, ratio_interval, unpaired_ratio_interval
from legacy_towers.measure.timed_step import TracedRun, nearest_to_median
from legacy_towers.report.document import INPUTS, Bar, Parity, Proof, Row, Spread, Waiting
from legacy_towers.specs.pipelines import SYNTHETIC

REPLAY = "replay"  # measured like a candidate: the current pipeline's step on one cached batch
DIFFER = 0.05  # the two estimates of waiting, as shares of the step, differ if their difference is larger


class Measured:
    """What was measured at one number of towers; a name is a candidate's, or REPLAY.

    Attributes:
      subject: one of `report.document.SUBJECTS`.
      examples_per_update: name -> the number of examples per increment of the global step.
      plans: name -> the step's plan.
      turns: name -> the reply to each turn.
      steps: name -> the number of steps in a turn.
      traces: name -> the traced runs of each round.
      resources: name -> the reply to "resources".
      failed: name -> why it has no figures.
      parity: whether input pipelines give the same examples; empty where that was not checked.
      proofs: whether strategies or reductions compute the same; empty where that was not checked.
    """

    def __init__(self, subject: str) -> None:
        self.subject = subject
        self.examples_per_update: Dict[str, int] = {}
        self.plans: Dict[str, Dict[str, Any]] = {}
        self.turns: Dict[str, List[Dict[str, Any]]] = {}
        self.steps: Dict[str, int] = {}
        self.traces: Dict[str, List[List[TracedRun]]] = {}
        self.resources: Dict[str, Dict[str, Any]] = {}
        self.failed: Dict[str, str] = {}
        self.parity: List[Parity] = []
        self.proofs: List[Proof] = []

    def updates(self, name: str) -> List[float]:
        """Returns updates/s of each round: the growth of the global step, by the updates of all towers."""
        return [turn["updates"] / turn["seconds"] for turn in self.turns[name]]

    def rates(self, name: str) -> List[float]:
        """Returns examples/s of each round."""
        return [self.examples_per_update[name] * updates for updates in self.updates(name)]


def make_rows(candidates: Candidates, towers: int, measured: Measured, others: Sequence[Row]) -> List[Row]:
    """Returns one row per candidate.

    Args:
      others: the rows of other numbers of towers, for the speed-up over one tower.
    """
    rows = []
    for candidate in candidates.all:
        choices = _choices(candidate, candidates)
        if candidate.name in measured.failed:
            rows.append(_failed_row(candidate.name, towers, measured.failed[candidate.name], choices))
        else:
            rows.append(_row(candidate.name, towers, measured, others, choices, candidates.current))
    return rows


def _choices(candidate: Candidate, candidates: Candidates) -> Dict[str, Optional[str]]:
    variables, reduction = candidates.choices[candidate.name]
    return {"input": candidate.input, "variables": variables, "reduction": reduction}


def _row(
    name: str, towers: int, measured: Measured, others: Sequence[Row], choices: Dict[str, Optional[str]],
    current: str,
) -> Row:
    turns = measured.turns[name]
    steps = [seconds * 1000 for turn in turns for seconds in turn["step_seconds"]]
    rates = measured.rates(name)
    of_inputs = measured.subject == INPUTS
    traced = [run for of_round in measured.traces[name] for run in of_round]
    return Row(
        candidate=name,
        towers=towers,
        failed=None,
        input=choices["input"],
        variables=choices["variables"],
        reduction=choices["reduction"],
        plan=measured.plans[name],
        examples_per_second=spread(median_interval(rates), rates),
        updates_per_second=_spread_of(measured.updates(name)),
        steps_per_turn=measured.steps[name],
        step_ms_p50=float(np.percentile(steps, 50)),
        step_ms_p95=float(np.percentile(steps, 95)),
        waiting=_waiting(name, measured) if of_inputs and name != SYNTHETIC else None,
        cpu_cores=_spread_of([turn["cpu_cores"] for turn in turns]),
        peak_memory_bytes=measured.resources[name]["peak_memory_bytes"],
        fed_bytes_per_step=sum(turn["fed_bytes"] for turn in turns) / len(steps),
        copied_bytes_per_step=sum(turn["copied_bytes"] for turn in turns) / len(steps),
        ratio_to_current=_ratio(rates, measured, current),
        ratio_to_synthetic=_ratio(rates, measured, SYNTHETIC) if of_inputs else None,
        speedup_over_one_tower=_speedup(name, rates, others),
        traced_steps=len(traced),
        timeline=[Bar(*stretch) for stretch in nearest_to_median(traced).timeline],
    )


def _failed_row(name: str, towers: int, why: str, choices: Dict[str, Optional[str]]) -> Row:
    fields: Dict[str, Any] = dict.fromkeys(Row._fields)
    fields.update(choices, candidate=name, towers=towers, failed=why, timeline=[])
    return Row(**fields)


def _ratio(rates: Sequence[float], measured: Measured, other: str) -> Optional[Spread]:
    """Returns the ratio of examples/s to another candidate's, paired by rounds; None where that one has no figures."""
    if other not in measured.turns or other in measured.failed:
        return None
    theirs = measured.rates(other)
    return spread(ratio_interval(rates, theirs), list(np.divide(rates, theirs)))


def _waiting(name: str, measured: Measured) -> Optional[Waiting]:
    if REPLAY in measured.failed:
        return None
    by_replay = _spread_of([
        1 - mine / cached for mine, cached in zip(measured.rates(name), measured.rates(REPLAY))
    ], 0.0, 1.0)
    by_trace = _spread_of([
        float(np.mean([run.waiting_share for run in of_round])) for of_round in measured.traces[name]
    ], 0.0, 1.0)
    return Waiting(by_replay, by_trace, abs(by_replay.median - by_trace.median) > DIFFER)


def _speedup(name: str, rates: Sequence[float], others: Sequence[Row]) -> Optional[Spread]:
    for row in others:
        if row.candidate == name and row.towers == 1 and row.examples_per_second is not None:
            alone = row.examples_per_second.rounds
            return spread(unpaired_ratio_interval(rates, alone), list(np.array(rates) / np.median(alone)))
    return None


def _spread_of(rounds: Sequence[float], least: float = 0.0, most: float = float("inf")) -> Spread:
    """Returns the spread of `rounds`, clipped to the range of possible values."""
    interval = Interval(*(min(most, max(least, value)) for value in median_interval(rounds)))
    return spread(interval, rounds)


def spread(interval: Interval, rounds: Sequence[float]) -> Spread:
    """Returns an interval and its rounds as the document records them."""
    return Spread(interval.median, interval.low, interval.high, [float(value) for value in rounds])
