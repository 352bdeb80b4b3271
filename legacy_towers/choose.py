"""Which strategy is the fastest for this job on this machine: measured for a bounded time, not assumed.

On CPUs packing and collectives lose, on GPUs they should win, and where variables live best depends on the model.
"""
import time
from typing import Any, Callable, Dict, List, NamedTuple, Optional, Sequence

import numpy as np

from legacy_towers import gradients, variables
from legacy_towers.compat import tf
from legacy_towers.config import session_config
from legacy_towers.errors import ArgumentError, UserError
from legacy_towers.gradients.base import ReductionLike, as_reduction
from legacy_towers.measure.rounds import order_of_rounds, steps_of_turn
from legacy_towers.measure.statistics import Interval, ratio_interval
from legacy_towers.step import TrainStep
from legacy_towers.tables import format_table
from legacy_towers.variables import Strategy

_WARM_UP_STEPS = 3
_TURN_SECONDS = 0.1
_MOST_ROUNDS = 40
# Rounds after which a candidate that is surely slower by this share takes no more turns.
_ROUNDS_TO_DROP = 5
_SURELY_SLOWER = 0.95
# A candidate further down the list must win by more than this: what is simpler comes first.
_WORTH_IT = 1.01


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
      rounds: how many rounds it took part in.
      problem: why it could not be measured; None if it could.
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
    """
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

    Each candidate gets a graph and a session of its own, with its own variables, in this process; they are closed at
    the end. Turns of about 0.1 s are taken in shuffled rounds, so that what else happens on the machine falls on all.
    A candidate that is surely slower than the best by 5 % leaves after 5 rounds (racing, as O. Maron and A. Moore,
    "Hoeffding races", 1994). The first of those that are within 1 % of the fastest is taken.

    Args:
      build: builds the step into the default graph; called once per candidate. Its input should not end, and the
        synthetic one measures the step alone.
      candidates: at least one; the simplest first.
      seconds: how long to measure; building the graphs comes on top. A step is never cut short.
      config: the sessions' tf.ConfigProto; None: logical CPUs for the plan's devices, and GPU memory as it is needed.
      say: told of each candidate, one line; None: nobody is.

    Raises:
      ArgumentError: no candidates or no time; the input ended.
      UserError: no candidate could be built; the error of the first.
    """
    if not candidates:
        raise ArgumentError("candidates is empty: give at least one, as default_candidates(devices) does")
    if seconds <= 0:
        raise ArgumentError("seconds is {!r}: a time above 0 is needed".format(seconds))
    say = say or (lambda line: None)
    start = time.perf_counter()
    runners: Dict[int, _Runner] = {}
    problems: Dict[int, UserError] = {}
    try:
        for number, candidate in enumerate(candidates):
            say("building {}".format(candidate))
            try:
                runners[number] = _Runner(build, candidate, config)
            except UserError as error:
                problems[number] = error
        if not runners:
            raise problems[0]
        say("measuring {} candidates for {:g} s".format(len(runners), seconds))
        _race(runners, seconds)
    finally:
        for runner in runners.values():
            runner.close()
    best = fastest(runners)
    measured = []
    for number, candidate in enumerate(candidates):
        if number in problems:
            measured.append(MeasuredCandidate(candidate, None, None, 0, str(problems[number])))
            continue
        times = runners[number].times
        common = min(len(times), len(runners[best].times))
        ratio = ratio_interval(runners[best].times[:common], times[:common])
        measured.append(MeasuredCandidate(candidate, float(np.median(times)), ratio, len(times)))
    chosen = candidates[best]
    return Choice(chosen.variables, chosen.reduction, measured, time.perf_counter() - start)


class _Runner:
    """One candidate's step in a session that stays open between turns."""

    def __init__(
        self, build: Callable[[Strategy, ReductionLike], TrainStep], candidate: Candidate, config: Optional[Any]
    ) -> None:
        self._candidate = candidate
        self.times: List[float] = []  # seconds per step, one per round
        with tf.Graph().as_default():
            step = build(candidate.variables, candidate.reduction)
            self._ops = step.train_ops()
            config = config or _config(step.plan.devices)
            self._session = tf.train.SingularMonitoredSession(hooks=step.hooks, config=config)
        try:
            self._run(_WARM_UP_STEPS)
            self._steps = steps_of_turn(self._run(2), _TURN_SECONDS, 1, 1000)
        except BaseException:
            self._session.close()
            raise

    def turn(self) -> None:
        self.times.append(self._run(self._steps))

    def close(self) -> None:
        self._session.close()

    def _run(self, steps: int) -> float:
        """Returns the seconds per step of some steps."""
        start = time.perf_counter()
        for _ in range(steps):
            try:
                self._session.run(next(self._ops))
            except tf.errors.OutOfRangeError:
                raise ArgumentError(
                    "the input ended while {} was measured: give one that does not end, such as "
                    "lt.inputs.synthetic(examples, ...)".format(self._candidate)
                ) from None
        return (time.perf_counter() - start) / steps


def _race(runners: Dict[int, _Runner], seconds: float) -> None:
    deadline = time.perf_counter() + seconds
    running = set(runners)
    orders = order_of_rounds([str(number) for number in runners], _MOST_ROUNDS)
    for round_number, order in enumerate(orders, start=1):
        for number in map(int, order):
            if number in running:
                runners[number].turn()
        if time.perf_counter() > deadline:
            return
        if round_number >= _ROUNDS_TO_DROP:
            best = min(running, key=lambda number: float(np.median(runners[number].times)))
            running = {
                number for number in running
                if ratio_interval(runners[best].times, runners[number].times).high >= _SURELY_SLOWER
            }
            if len(running) == 1:
                return


def fastest(runners: Dict[int, Any]) -> int:
    """Returns the first number whose median time is within 1 % of the least.

    Args:
      runners: number -> what has `times`, in any unit.
    """
    medians = {number: float(np.median(runner.times)) for number, runner in runners.items()}
    least = min(medians.values())
    return min(number for number in medians if medians[number] <= _WORTH_IT * least)


def _config(devices: Sequence[str]) -> Any:
    specs = [tf.DeviceSpec.from_string(device) for device in devices]
    cpus = [spec.device_index or 0 for spec in specs if (spec.device_type or "").upper() == "CPU"]
    return session_config(logical_cpus=1 + max(cpus)) if cpus else session_config(allow_growth=True)
