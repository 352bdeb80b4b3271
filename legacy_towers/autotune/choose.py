"""Measures which variable strategy and gradient reduction are the fastest for a job on this machine."""
import numbers
import time
from functools import partial
from typing import Any, Callable, List, NamedTuple, Optional, Sequence

import numpy as np

from legacy_towers import gradients, variables
from legacy_towers.compat import tf
from legacy_towers.compat.versions.messages import plain_message
from legacy_towers.config import session_config
from legacy_towers.devices import logical_cpus
from legacy_towers.errors import ArgumentError
from legacy_towers.gradients.base import ReductionLike
from legacy_towers.gradients.named import reduction_from
from legacy_towers.measure.candidate import Candidate
from legacy_towers.measure.race import Race
from legacy_towers.measure.statistics import Interval, ratio_interval
from legacy_towers.measure.timed_step import TimedStep
from legacy_towers.specs.strategies import parse_strategy
from legacy_towers.step import TrainStep
from legacy_towers.text.documented_fields import documented_fields
from legacy_towers.text.terminal import FILE, GREEN, RED, Layout, printed_layout
from legacy_towers.towers.replicate import check_devices
from legacy_towers.variables import Strategy
from legacy_towers.variables.named import as_strategy


@documented_fields
class MeasuredCandidate(NamedTuple):
    """The measurement of one candidate.

    Attributes:
      candidate: the candidate.
      step_seconds: the median over rounds of the seconds per step; None if it was not measured.
      ratio: its speed divided by that of the chosen candidate, with the 95 % confidence interval of this ratio.
      rounds: the number of measured rounds; 0 if the time ended in the first round: then its first steps count.
      problem: why it was not measured; None if it was.
    """

    candidate: Candidate
    step_seconds: Optional[float]
    ratio: Optional[Interval]
    rounds: int
    problem: Optional[str] = None


@documented_fields
class Choice(NamedTuple):
    """The chosen candidate and all measurements; `str` returns them as a table.

    Attributes:
      variables: the chosen strategy.
      reduction: the chosen reduction.
      measured: one measurement per candidate, in the given order.
      seconds: how long it took, including building.
    """

    variables: Strategy
    reduction: ReductionLike
    measured: List[MeasuredCandidate]
    seconds: float

    def __str__(self) -> str:
        return self.as_text(printed_layout())

    def as_text(self, layout: Layout = FILE) -> str:
        """Returns the table for the width of a terminal or, by default, for a file."""
        rows = []
        colours: List[Optional[str]] = []
        for each in self.measured:
            speed = "" if each.ratio is None else "{:.2f} ({:.2f} to {:.2f})".format(*each.ratio)
            note = "chosen" if each.candidate == Candidate(self.variables, self.reduction) else each.problem or ""
            milliseconds = "" if each.step_seconds is None else "{:.3g}".format(1e3 * each.step_seconds)
            rows.append([str(each.candidate), milliseconds, speed, each.rounds, note])
            colours.append(GREEN if note == "chosen" else RED if each.problem else None)
        header = ["variables, reduction", "ms per step", "speed relative to the chosen one", "rounds", ""]
        lines = [layout.table(header, rows, "lrrrl", colours)]
        measured = [each.candidate for each in self.measured if each.step_seconds is not None]
        if len(measured) > 1 and measured[0] == Candidate(self.variables, self.reduction):
            lines.append("no other candidate is proven faster than the first one")
        return "\n".join(lines + ["measured on this machine in {:.0f} s".format(self.seconds)])


def default_candidates(devices: Sequence[str]) -> List[Candidate]:
    """Returns the candidates to measure for towers on these devices, the simplest first.

    All of them train the same model. Strategies that change the result (local SGD, asynchronous updates, compression)
    are not included.

    Args:
      devices: one device string per tower.

    Raises:
      ArgumentError: `devices` is empty.
      DeviceError: one of them is not a device string.
    """
    check_devices(devices)
    first = devices[0]
    candidates = [
        Candidate(variables.ParameterServer("/cpu:0"), gradients.mean()),
        Candidate(variables.Balanced(list(devices)), gradients.mean(on="variable")),
        Candidate(variables.Balanced(list(devices)), gradients.tree()),
        Candidate(variables.Replicated(), gradients.mean()),
        Candidate(variables.Replicated(), gradients.bucketed(gradients.mean())),
    ]
    if "gpu" in first.lower():
        candidates.append(Candidate(variables.ParameterServer(first), gradients.mean()))
        if len(set(devices)) == len(devices) > 1:
            candidates.append(Candidate(variables.Replicated(), gradients.nccl()))
            candidates.append(Candidate(variables.Replicated(), gradients.bucketed(gradients.nccl())))
    return candidates


def choose_strategy(
    build: Callable[[Strategy, ReductionLike], TrainStep],
    candidates: Sequence[Candidate],
    seconds: float = 20.0,
    config: Optional[Any] = None,
    print_fn: Optional[Callable[[str], None]] = None,
) -> Choice:
    """Measures a step with each candidate; returns the first candidate unless another one is proven faster.

        def build(variables, reduction):
            return lt.build_train_step(model_fn, lt.inputs.synthetic(examples, 32), optimizer, devices,
                                       variables=variables, reduction=reduction)

        choice = lt.choose_strategy(build, lt.default_candidates(devices))
        print(choice)
        step = build(choice.variables, choice.reduction)

    All candidates have graphs and sessions in this process at the same time, so their variables must fit into memory
    together. Candidates take turns of about 0.1 s in shuffled rounds, so that other load on the machine affects all of
    them. A candidate that fails is dropped at once; one that is slower than the best by at least 5 %, with confidence,
    is dropped after 5 rounds (O. Maron and A. Moore, "Hoeffding races", 1994). A candidate is proven faster than the
    first one if the confidence interval of their ratio is above 1 after at least 5 rounds. Of these candidates, the
    first one within 1 % of the fastest is chosen.

    Args:
      build: builds the step into the default graph; called once per candidate. Its input must not end;
        `lt.inputs.synthetic` measures the step alone.
      candidates: at least one; the first one is the default and should be the simplest.
      seconds: how long to measure, without building the graphs. Slow first steps may lengthen it by half; steps are
        never interrupted. Candidates for which no time is left are not measured; their `problem` says so.
      config: the sessions' tf.ConfigProto; None: logical CPUs for the plan's devices, or GPUs with `allow_growth`.
      print_fn: called with one line of progress at a time; None: no progress is printed.

    Raises:
      ArgumentError: `candidates` is empty or has something else, `seconds` is not above 0, `build` returns something
        other than a TrainStep, or the input ended.
      UserError, tf.errors.OpError: no candidate could be built and run; this is the error of the first one.
    """
    _check_candidates(candidates)
    if isinstance(seconds, bool) or not isinstance(seconds, numbers.Real) or not seconds > 0:
        raise ArgumentError("seconds must be a number above 0, got {!r}".format(seconds))
    if not callable(build):
        raise ArgumentError(
            "build must be a function that takes (variables, reduction) and returns a step, got {!r}".format(build)
        )
    print_fn = print_fn or (lambda line: None)
    start = time.perf_counter()
    race = Race()
    try:
        for number, candidate in enumerate(candidates):
            print_fn("building {}".format(candidate))
            race.enter(number, partial(_start_step, build, candidate, config))
        print_fn("measuring {} candidates for {:g} s".format(len(race.running), seconds))
        race.run(seconds)
    finally:
        race.close()
    best = race.best()
    measured = [_measured(each, race, number, best) for number, each in enumerate(candidates)]
    return Choice(candidates[best].variables, candidates[best].reduction, measured, time.perf_counter() - start)


def _check_candidates(candidates: Sequence[Candidate]) -> None:
    if not isinstance(candidates, (list, tuple)):
        raise ArgumentError("candidates must be a list of lt.Candidate, got {!r}".format(candidates))
    if not candidates:
        raise ArgumentError("candidates is empty: pass at least one, for example lt.default_candidates(devices)")
    for candidate in candidates:
        if not isinstance(candidate, Candidate):
            raise ArgumentError(
                "candidates must contain lt.Candidate only, got {!r}: use, for example, "
                "lt.Candidate(lt.variables.Replicated(), lt.gradients.mean())".format(candidate)
            )
        if isinstance(candidate.variables, str):
            parse_strategy(candidate.variables)
        else:
            as_strategy(candidate.variables, [], "the variables of an lt.Candidate")
        reduction_from(candidate.reduction, "the reduction of an lt.Candidate")


def _start_step(
    build: Callable[[Strategy, ReductionLike], TrainStep], candidate: Candidate, config: Optional[Any]
) -> TimedStep:
    with tf.Graph().as_default():
        step = build(candidate.variables, candidate.reduction)
        if not isinstance(step, TrainStep):
            raise ArgumentError(
                "build returned {!r} for {}: it must return the step of lt.build_train_step(..., variables=variables, "
                "reduction=reduction)".format(step, candidate)
            )
        cpus = logical_cpus(step.plan.devices)
        return TimedStep(step, config or session_config(logical_cpus=cpus, allow_growth=True))


def _measured(candidate: Candidate, race: Race, number: int, best: int) -> MeasuredCandidate:
    if number in race.problems:
        return MeasuredCandidate(candidate, None, None, 0, _problem_text(race.problems[number]))
    best_times, times = race.paired_times(best, number)
    return MeasuredCandidate(
        candidate, float(np.median(times)), ratio_interval(best_times, times), race.rounds(number)
    )


def _problem_text(problem: Optional[Exception]) -> str:
    if problem is None:
        return "not measured: no time was left"
    if isinstance(problem, tf.errors.OpError):
        return "{}: {}".format(type(problem).__name__, plain_message(problem))
    return str(problem)
