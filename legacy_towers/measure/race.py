"""Races several steps: they take turns, and a step that is slower with confidence is dropped early.

The method is that of O. Maron and A. Moore, "Hoeffding races: accelerating model selection search", NIPS 1994.
"""
import contextlib
import time
from typing import Callable, Dict, List, Mapping, Optional, Sequence, Tuple

import numpy as np

from legacy_towers.compat import tf
from legacy_towers.errors import ArgumentError, UserError
from legacy_towers.measure.rounds import LEAST_ROUNDS, least_steps, order_of_rounds
from legacy_towers.measure.statistics import CONFIDENCE, ratio_interval
from legacy_towers.measure.timed_step import TimedStep

_WARM_UP_TURNS = 5
_TURN_SECONDS = 0.1
_MOST_ROUNDS = 40
# A candidate whose speed relative to the best is below this, with confidence, is dropped after this many rounds.
_ROUNDS_TO_DROP = LEAST_ROUNDS
_DROP_BELOW = 0.95
# A candidate later in the list must be faster than earlier, simpler ones by more than this factor.
_SMALLEST_GAIN = 1.01


class InputEnded(ArgumentError):
    """The input ended, so that no candidate can continue; it is not a failure of one candidate."""


class _Racer:
    """A candidate's step, and its times."""

    def __init__(self, step: TimedStep) -> None:
        self.step = step
        self.times: List[float] = []  # seconds per step, one per round
        self.first = 0.0  # seconds per step, of the last turn before the rounds
        self._steps = 0  # per turn

    def warm_up(self, seconds: float, turn_seconds: float) -> None:
        """Runs at least one turn of one step, more if they fit into `seconds`; sets the steps of turns."""
        start = time.perf_counter()
        for _ in range(_WARM_UP_TURNS):
            turn = self.step.turn(0, 1)
            self.first = turn.seconds / len(turn.step_seconds)
            if time.perf_counter() - start + turn.seconds > seconds:
                break
        self._steps = least_steps(self.first, self.step.steps_ahead, 1000, turn_seconds)

    def turn(self) -> None:
        # Batches that were prefetched since the last turn are consumed before time is measured.
        turn = self.step.turn(self.step.steps_ahead, self._steps)
        self.times.append(turn.seconds / len(turn.step_seconds))


class Race:
    """The candidates of a race.

    Attributes:
      running: number -> each candidate that still takes turns.
      left: number -> each candidate that was dropped because it is slower.
      problems: number -> why a candidate could not be built or run; None if no time was left for it.
    """

    def __init__(self) -> None:
        self.running: Dict[int, _Racer] = {}
        self.left: Dict[int, _Racer] = {}
        self.problems: Dict[int, Optional[Exception]] = {}

    def enter(self, number: int, start: Callable[[], TimedStep]) -> None:
        """Adds a candidate to the race, or records why it can't be built."""
        try:
            self.running[number] = _Racer(start())
        except (UserError, tf.errors.OpError) as error:
            self.problems[number] = error

    def run(self, seconds: float) -> None:
        """Runs rounds until the time ends, only one candidate is left, or 40 rounds have been run.

        The warm-up may take half of `seconds`; if it takes longer, rounds still get half of them.
        """
        self._check_that_some_run()
        entered = len(self.running)
        deadline = time.perf_counter() + seconds
        share = seconds / (2.0 * entered)
        turn_seconds = min(_TURN_SECONDS, share / _ROUNDS_TO_DROP)
        for number in list(self.running):
            if number != min(self.running) and time.perf_counter() > deadline:
                self.problems[number] = None
                self.running.pop(number).step.close()
            else:
                self._try(number, lambda racer: racer.warm_up(share, turn_seconds))
        self._check_that_some_run()
        deadline = max(deadline, time.perf_counter() + seconds / 2.0)
        for round_number, order in enumerate(order_of_rounds([str(each) for each in self.running], _MOST_ROUNDS), 1):
            for number in map(int, order):
                if time.perf_counter() > deadline:
                    return
                if number in self.running:
                    self._try(number, lambda racer: racer.turn())
            self._check_that_some_run()
            if round_number >= _ROUNDS_TO_DROP:
                self._drop_slower_ones()
            if len(self.running) == 1 < entered:
                return

    def best(self) -> int:
        """Returns the number of the candidate to use: the first one that ran, unless others are proven faster.

        A candidate is proven faster if, after at least 5 rounds, the interval of its speed relative to the first one's
        is above 1; all intervals hold together with 95 % confidence. The fastest proven candidate that ran to the end
        is returned: dropped ones were measured at another load of the machine.
        """
        common = self._common_times()
        first = min(list(self.running) + list(self.left))
        others = [number for number in self.running if number != first]
        confidence = 1 - (1 - CONFIDENCE) / max(1, len(self.running) + len(self.left) - 1)
        proven = [number for number in others if self._is_faster(number, first, confidence)]
        if proven or first in self.left:
            return fastest({number: common[number] for number in proven or others})
        return first

    def _is_faster(self, number: int, first: int, confidence: float) -> bool:
        times, first_times = self.paired_times(number, first)
        return len(times) >= LEAST_ROUNDS and ratio_interval(first_times, times, confidence).low > 1

    def paired_times(self, one: int, other: int) -> Tuple[List[float], List[float]]:
        """Returns the times of two candidates in their common rounds; the first must have run to the end."""
        if other in self.left:
            times = self.left[other].times
            return self.running[one].times[: len(times)], times
        common = self._common_times()
        return common[one], common[other]

    def rounds(self, number: int) -> int:
        """Returns the number of rounds in which a candidate took a turn."""
        return len((self.left if number in self.left else self.running)[number].times)

    def close(self) -> None:
        """Closes all open steps, even if closing one of them fails."""
        with contextlib.ExitStack() as stack:
            for racer in self.running.values():
                stack.callback(racer.step.close)

    def _try(self, number: int, call: Callable[[_Racer], None]) -> None:
        """Calls `call` on a racer; if it fails, the racer is removed and the problem is recorded."""
        try:
            call(self.running[number])
        except tf.errors.OutOfRangeError:
            raise InputEnded(
                "the input ended while candidates were measured: use one that does not end, such as "
                "lt.inputs.synthetic(examples, ...)"
            ) from None
        except (UserError, tf.errors.OpError) as error:
            self.problems[number] = error
            # Errors of its threads have the same cause.
            with contextlib.suppress(UserError, tf.errors.OpError):
                self.running.pop(number).step.close()

    def _check_that_some_run(self) -> None:
        if not self.running:
            raise next(error for _, error in sorted(self.problems.items()) if error is not None)

    def _drop_slower_ones(self) -> None:
        best = min(self.running, key=lambda number: float(np.median(self.running[number].times)))
        for number, racer in list(self.running.items()):
            if ratio_interval(self.running[best].times, racer.times).high < _DROP_BELOW:
                # Frees its memory and the threads of its input for the others.
                self.left[number] = self.running.pop(number)
                racer.step.close()

    def _common_times(self) -> Dict[int, List[float]]:
        """Returns the times of all candidates that ran to the end, in their common rounds."""
        rounds = min(len(racer.times) for racer in self.running.values())
        # If the time ended in the first round, steps are so slow that the cost of the first step matters little.
        return {number: racer.times[:rounds] or [racer.first] for number, racer in self.running.items()}


def fastest(times: Mapping[int, Sequence[float]]) -> int:
    """Returns the first number that is within 1 % of the fastest, in the median over rounds.

    Times are compared within each round, so that rounds in which the machine is slow count as much as others.

    Args:
      times: number -> times, in any unit, one per round; equally many for each.
    """
    logs = np.log(np.array(list(times.values()), np.float64))
    medians = np.median(logs - np.median(logs, axis=0), axis=1)
    limit = medians.min() + np.log(_SMALLEST_GAIN)
    return min(number for number, median in zip(times, medians) if median <= limit)
