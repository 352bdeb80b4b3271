"""Which strategy is the fastest for this job on this machine: measured for a bounded time, not assumed.

On CPUs packing and collectives lose, on GPUs they should win, and where variables live best depends on the model.
"""
import numbers
import time
from functools import partial
from typing import Any, Callable, List, NamedTuple, Optional, Sequence

import numpy as np

from legacy_towers import gradients, variables
from legacy_towers.compat import tf
from legacy_towers.compat.messages import plain_message
from legacy_towers.config import session_config
from legacy_towers.errors import ArgumentError
from legacy_towers.gradients.base import ReductionLike, as_reduction
from legacy_towers.measure.race import Race, StepRunner
from legacy_towers.measure.statistics import Interval, ratio_interval
from legacy_towers.step import TrainStep
from legacy_towers.tables import format_table
from legacy_towers.towers.replicate import check_devices, check_strategy
from legacy_towers.variables import Strategy


class Candidate(NamedTuple):
    """Where variables live, and how gradients meet."""

    variables: Strategy
    reduction: ReductionLike

    def __str__(self) -> str:
        return "{!r}, {!r}".format(self.variables, as_reduction(self.reduction))


class MeasuredCandidate(NamedTuple):
    """What was found for one candidate.

    Attributes:
      candidate: the candidate.
      step_seconds: the median over rounds of the seconds per step; None where there is none.
      ratio: its speed over that of the chosen one, with the interval that holds the true ratio with 95 % confidence.
      rounds: how many rounds it took part in; 0 where time was up in the first, then its first steps count.
      problem: why it was not measured; None if it was.
    """

    candidate: Candidate
    step_seconds: Optional[float]
    ratio: Optional[Interval]
    rounds: int
    problem: Optional[str] = None


class Choice(NamedTuple):
    """The fastest candidate, and what was measured; print it.

    Attributes:
      variables: the strategy to take.
      reduction: the reduction to take.
      measured: every candidate, in the order in which they were given.
      seconds: how long it took, building included.
    """

    variables: Strategy
    reduction: ReductionLike
    measured: List[MeasuredCandidate]
    seconds: float

    def __str__(self) -> str:
        rows = []
        for each in self.measured:
            speed = "" if each.ratio is None else "{:.2f} ({:.2f} to {:.2f})".format(*each.ratio)
            taken = "taken" if each.candidate == Candidate(self.variables, self.reduction) else each.problem or ""
            milliseconds = "" if each.step_seconds is None else "{:.3g}".format(1e3 * each.step_seconds)
            rows.append([str(each.candidate), milliseconds, speed, each.rounds, taken])
        header = ["variables, gradients", "ms per step", "speed over the fastest", "rounds", ""]
        return "{}\nmeasured on this machine in {:.0f} s".format(format_table(header, rows, "lrrrl"), self.seconds)


def default_candidates(devices: Sequence[str]) -> List[Candidate]:
    """Returns what is worth trying for towers on these devices, the simplest first.

    All of them compute the same training; what computes something else (local or asynchronous updates, rounding to
    fewer bits) is not a question of speed alone, and never chosen.

    Raises:
      ArgumentError: there are no devices.
      DeviceError: one of them is no device string.
    """
    check_devices(devices)
    first = devices[0]
    candidates = [
        Candidate(variables.ParameterServer("/cpu:0"), gradients.mean()),
        Candidate(variables.Balanced(list(devices)), gradients.mean(on="variable")),
        Candidate(variables.Balanced(list(devices)), gradients.tree()),
        Candidate(variables.Replicated(), gradients.mean()),
        Candidate(variables.Replicated(), gradients.packed(gradients.mean())),
    ]
    if "gpu" in first.lower():
        candidates.append(Candidate(variables.ParameterServer(first), gradients.mean()))
        if len(set(devices)) == len(devices) > 1:
            candidates.append(Candidate(variables.Replicated(), gradients.nccl()))
            candidates.append(Candidate(variables.Replicated(), gradients.packed(gradients.nccl())))
    return candidates


def choose_strategy(
    build: Callable[[Strategy, ReductionLike], TrainStep],
    candidates: Sequence[Candidate],
    seconds: float = 20.0,
    config: Optional[Any] = None,
    say: Optional[Callable[[str], None]] = None,
) -> Choice:
    """Measures the job's own step with each candidate, in turns, and returns the fastest.

        def build(variables, reduction):
            return lt.build_train_step(model_fn, lt.inputs.synthetic(examples, 32), optimizer, devices,
                                       variables=variables, reduction=reduction)

        choice = lt.choose_strategy(build, lt.default_candidates(devices))
        print(choice)
        step = build(choice.variables, choice.reduction)

    Each candidate gets a graph and a session of its own in this process, all at the same time: there must be memory for
    the variables of all of them. Turns of about 0.1 s are taken in shuffled rounds, so that what else happens on the
    machine falls on all. A candidate that is surely slower than the best by 5 % leaves after 5 rounds (racing, as O.
    Maron and A. Moore, "Hoeffding races", 1994), one that fails at once. Of those that run to the end the first is
    taken that is within 1 % of the fastest.

    Args:
      build: builds the step into the default graph; called once per candidate. Its input should not end, and the
        synthetic one measures the step alone.
      candidates: at least one; the simplest first.
      seconds: how long to measure; building the graphs comes on top. Where the first steps take long it may become half
        as much again, and a step is never cut short. Where steps are so slow that the first ones of all would take
        longer, the candidates that are left then are not measured, which `Choice` says.
      config: the sessions' tf.ConfigProto; None: logical CPUs for the plan's devices, and GPU memory as it is needed.
      say: told of each candidate, one line; None: nobody is.

    Raises:
      ArgumentError: no candidates, or something else among them; no time; `build` returns no step; the input ended.
      UserError, tf.errors.OpError: no candidate could be built and run; the error of the first.
    """
    _check_candidates(candidates)
    if not isinstance(seconds, numbers.Real) or not seconds > 0:
        raise ArgumentError("seconds is {!r}: a time above 0 is needed".format(seconds))
    if not callable(build):
        raise ArgumentError(
            "build is {!r}: give a function that takes (variables, reduction) and returns a step".format(build)
        )
    say = say or (lambda line: None)
    start = time.perf_counter()
    race = Race()
    try:
        for number, candidate in enumerate(candidates):
            say("building {}".format(candidate))
            race.enter(number, partial(_started, build, candidate, config))
        say("measuring {} candidates for {:g} s".format(len(race.running), seconds))
        race.run(seconds)
    finally:
        race.close()
    best = race.best()
    measured = [_measured(each, race, number, best) for number, each in enumerate(candidates)]
    return Choice(candidates[best].variables, candidates[best].reduction, measured, time.perf_counter() - start)


def _check_candidates(candidates: Sequence[Candidate]) -> None:
    if not candidates:
        raise ArgumentError("candidates is empty: give at least one, as lt.default_candidates(devices) does")
    for candidate in candidates:
        if not isinstance(candidate, Candidate):
            raise ArgumentError(
                "candidates has {!r}: each is one of lt.Candidate(variables, reduction), such as "
                "lt.Candidate(lt.variables.Replicated(), lt.gradients.mean())".format(candidate)
            )
        check_strategy(candidate.variables)
        as_reduction(candidate.reduction)


def _started(
    build: Callable[[Strategy, ReductionLike], TrainStep], candidate: Candidate, config: Optional[Any]
) -> StepRunner:
    with tf.Graph().as_default():
        step = build(candidate.variables, candidate.reduction)
        if not isinstance(step, TrainStep):
            raise ArgumentError(
                "build returned {} for {}: let it return the step of lt.build_train_step(..., variables=variables, "
                "reduction=reduction)".format("nothing" if step is None else repr(step), candidate)
            )
        return StepRunner(step, config or _config(step.plan.devices))


def _measured(candidate: Candidate, race: Race, number: int, best: int) -> MeasuredCandidate:
    if number in race.problems:
        return MeasuredCandidate(candidate, None, None, 0, _in_words(race.problems[number]))
    of_best, times = race.paired_times(best, number)
    return MeasuredCandidate(candidate, float(np.median(times)), ratio_interval(of_best, times), race.rounds(number))


def _in_words(problem: Optional[Exception]) -> str:
    if problem is None:
        return "not measured: time was up"
    if isinstance(problem, tf.errors.OpError):
        return "{}: {}".format(type(problem).__name__, plain_message(problem))
    return str(problem)


def _config(devices: Sequence[str]) -> Any:
    specs = [tf.DeviceSpec.from_string(device) for device in devices]
    cpus = [spec.device_index or 0 for spec in specs if (spec.device_type or "").upper() == "CPU"]
    return session_config(logical_cpus=1 + max(cpus)) if cpus else session_config(allow_growth=True)
