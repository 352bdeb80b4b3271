"""A race of several steps: they take turns, and who is surely slower leaves early.

O. Maron and A. Moore, "Hoeffding races: accelerating model selection search", NIPS 1994.
"""
import contextlib
import time
from typing import Any, Callable, Dict, List, Mapping, Optional, Sequence, Tuple

import numpy as np

from legacy_towers.compat import tf
from legacy_towers.errors import ArgumentError, UserError
from legacy_towers.measure.rounds import order_of_rounds, steps_of_turn
from legacy_towers.measure.statistics import ratio_interval
from legacy_towers.step import TrainStep

_WARM_UP_TURNS = 5
_TURN_SECONDS = 0.1
_MOST_ROUNDS = 40
# Rounds after which a candidate that is surely slower by this share takes no more turns.
_ROUNDS_TO_DROP = 5
_SURELY_SLOWER = 0.95
# A candidate further down the list must win by more than this: what is simpler comes first.
_WORTH_IT = 1.01


class InputEnded(ArgumentError):
    """Nobody's turn can go on: that is no fault of one candidate."""


class StepRunner:
    """One candidate's step in a session that stays open between turns."""

    def __init__(self, step: TrainStep, config: Any) -> None:
        """
        Args:
          step: the step, of the default graph.
          config: the session's tf.ConfigProto.
        """
        self.times: List[float] = []  # seconds per step, one per round
        self.first = 0.0  # seconds per step, of the last turn before the rounds
        self._steps = 0  # per turn
        self._ops = step.train_ops()
        # Parts that take turns differ in cost, so that only whole rounds of them can be compared.
        self._least = max(1, len(step.turns.schedule))
        self._session = tf.train.SingularMonitoredSession(hooks=step.hooks, config=config)

    def warm_up(self, seconds: float, turn_seconds: float) -> None:
        """Takes some steps, as far as they fit into `seconds`, but never none; a turn is to take `turn_seconds`."""
        start = time.perf_counter()
        for _ in range(_WARM_UP_TURNS):
            self.first = self._run(self._least)
            if time.perf_counter() - start + self.first * self._least > seconds:
                break
        turns = steps_of_turn(self.first * self._least, turn_seconds, 1, 1000)
        self._steps = turns * self._least

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
                raise InputEnded(
                    "the input ended while candidates were measured: give one that does not end, such as "
                    "lt.inputs.synthetic(examples, ...)"
                ) from None
        return (time.perf_counter() - start) / steps


class Race:
    """The candidates that are measured against each other.

    Attributes:
      running: number of a candidate -> what still takes turns.
      left: number -> what was surely slower.
      problems: number -> why it could not be built or run; None where time was up before its first step.
    """

    def __init__(self) -> None:
        self.running: Dict[int, StepRunner] = {}
        self.left: Dict[int, StepRunner] = {}
        self.problems: Dict[int, Optional[Exception]] = {}

    def enter(self, number: int, start: Callable[[], StepRunner]) -> None:
        """Lets a candidate take part, or notes why it can't."""
        try:
            self.running[number] = start()
        except (UserError, tf.errors.OpError) as error:
            self.problems[number] = error

    def run(self, seconds: float) -> None:
        """Takes rounds until time is up, nobody but the best is left, or there were enough of them.

        The first steps, which prepare much once, may take half of the time; where they take longer, rounds get as much.
        """
        self._check_that_some_run()
        entered = len(self.running)
        deadline = time.perf_counter() + seconds
        share = seconds / (2.0 * entered)
        turn_seconds = min(_TURN_SECONDS, share / _ROUNDS_TO_DROP)
        for number in list(self.running):
            if number != min(self.running) and time.perf_counter() > deadline:
                self.problems[number] = None
                self.running.pop(number).close()
            else:
                self._try(number, lambda runner: runner.warm_up(share, turn_seconds))
        self._check_that_some_run()
        deadline = max(deadline, time.perf_counter() + seconds / 2.0)
        for round_number, order in enumerate(order_of_rounds([str(each) for each in self.running], _MOST_ROUNDS), 1):
            for number in map(int, order):
                if time.perf_counter() > deadline:
                    return
                if number in self.running:
                    self._try(number, lambda runner: runner.turn())
            self._check_that_some_run()
            if round_number >= _ROUNDS_TO_DROP:
                self._drop_slower_ones()
            if len(self.running) == 1 < entered:
                return

    def best(self) -> int:
        """Returns the fastest of those that ran to the end: rounds of another time would compare the machine's load."""
        return fastest(self._common_times())

    def paired_times(self, one: int, other: int) -> Tuple[List[float], List[float]]:
        """Returns the times of two candidates, of which the first ran to the end, in the rounds that both took."""
        if other in self.left:
            times = self.left[other].times
            return self.running[one].times[: len(times)], times
        common = self._common_times()
        return common[one], common[other]

    def rounds(self, number: int) -> int:
        """Returns in how many rounds a candidate took part."""
        return len((self.left if number in self.left else self.running)[number].times)

    def close(self) -> None:
        """Closes all that is open still, also where closing one fails."""
        with contextlib.ExitStack() as stack:
            for runner in self.running.values():
                stack.callback(runner.close)

    def _try(self, number: int, call: Callable[[StepRunner], None]) -> None:
        """Calls it on a runner, which leaves with a problem if that fails."""
        try:
            call(self.running[number])
        except InputEnded:
            raise
        except (UserError, tf.errors.OpError) as error:
            self.problems[number] = error
            # What its threads died of is the same, or follows from it.
            with contextlib.suppress(UserError, tf.errors.OpError):
                self.running.pop(number).close()

    def _check_that_some_run(self) -> None:
        if not self.running:
            raise next(error for _, error in sorted(self.problems.items()) if error is not None)

    def _drop_slower_ones(self) -> None:
        best = min(self.running, key=lambda number: float(np.median(self.running[number].times)))
        for number, runner in list(self.running.items()):
            if ratio_interval(self.running[best].times, runner.times).high < _SURELY_SLOWER:
                # Its memory and its input's threads are for the others now.
                self.left[number] = self.running.pop(number)
                runner.close()

    def _common_times(self) -> Dict[int, List[float]]:
        """Returns the times of all that ran to the end, of the rounds that all took part in."""
        rounds = min(len(runner.times) for runner in self.running.values())
        # Time was up in the first round: steps are so slow that what the first of them cost once matters little.
        return {number: runner.times[:rounds] or [runner.first] for number, runner in self.running.items()}


def fastest(times: Mapping[int, Sequence[float]]) -> int:
    """Returns the first number that is within 1 % of the fastest, in the median over rounds.

    A time counts by its ratio to the others' of the same round, so that a round in which the machine is slow says as
    much as any other.

    Args:
      times: number -> times, in any unit, one per round; as many for each.
    """
    logs = np.log(np.array(list(times.values()), np.float64))
    of_each = np.median(logs - np.median(logs, axis=0), axis=1)
    return min(number for number, its in zip(times, of_each) if its <= of_each.min() + np.log(_WORTH_IT))
