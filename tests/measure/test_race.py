"""Races with planted step times; tests/autotune/test_choose.py has real steps."""
import pytest

from legacy_towers.measure.race import Race, fastest
from legacy_towers.measure.timed_step import Turn


class Planted:
    """A step that takes no time and reports the next of the given times in each turn."""

    steps_ahead = 0

    def __init__(self, times):
        self._warm_up, self._to_come = 5, list(times)
        self.is_closed = False

    def turn(self, settle, steps, seconds=0.0):
        self._warm_up -= 1
        seconds = self._to_come[0] if self._warm_up >= 0 else self._to_come.pop(0)
        return Turn([seconds], seconds, 1, 0.0, 0.0)

    def close(self):
        self.is_closed = True


def raced(*times):
    """Returns a race of steps with these times, after it has run, and the steps."""
    race, steps = Race(), [Planted(each) for each in times]
    for number, step in enumerate(steps):
        race.enter(number, lambda step=step: step)
    race.run(10000.0)
    return race, steps


def test_a_candidate_dropped_before_the_machine_became_slow_does_not_win():
    """The machine is three times as slow after the fifth round, in which the first candidate is dropped."""
    race, steps = raced([2.0] * 40, [1.0] * 5 + [3.0] * 35, [1.0] * 5 + [3.1] * 35)
    assert race.best() == 1 and race.rounds(0) == 5 and race.rounds(1) == 40
    assert steps[0].is_closed and not steps[1].is_closed
    assert race.paired_times(1, 0) == ([1.0] * 5, [2.0] * 5)
    race.close()
    assert all(step.is_closed for step in steps)


NOISE = [1.0, 1.04, 0.97, 1.02, 0.95, 1.01, 0.99, 1.03]


@pytest.mark.parametrize(
    "times, best",
    [
        ([[1.0] * 40, [0.98] * 40], 1),
        ([[1.0] * 40, [1.0] * 40], 0),
        ([NOISE * 5, [0.99 * each for each in NOISE[3:] * 8][:40]], 0),
        ([NOISE * 5, [0.8 * each for each in NOISE[3:] * 8][:40]], 1),
        ([[1.0] * 40, [0.97] * 40, [0.9] * 40], 2),
        ([[1.0] * 40, [1.1] * 40], 0),
    ],
    ids=["slightly in all rounds", "equal", "within the noise", "beyond the noise", "the faster of two", "slower"],
)
def test_the_first_candidate_is_best_unless_another_is_proven_faster(times, best):
    race, _ = raced(*times)
    assert race.best() == best


def test_one_round_does_not_prove_a_candidate_faster():
    race = Race()
    for number, seconds in enumerate((1.0, 0.5)):
        race.enter(number, lambda seconds=seconds: Planted([seconds] * 40))
    for racer in race.running.values():
        racer.warm_up(10.0, 0.1)
        racer.turn()
    assert race.best() == 0
    for racer in race.running.values():
        for _ in range(4):
            racer.turn()
    assert race.best() == 1


@pytest.mark.parametrize(
    "milliseconds, best",
    [([10.05, 10.0], 0), ([10.2, 10.0], 1), ([10.0, 9.95, 9.85], 2), ([9.0, 10.0], 0)],
    ids=["within 1 %", "more", "more than the first of three", "the first"],
)
def test_fastest_returns_the_first_of_similar_candidates(milliseconds, best):
    assert fastest({number: [each] * 5 for number, each in enumerate(milliseconds)}) == best


def test_times_are_compared_within_rounds():
    """The first is faster in four of five rounds, although the second has the lower median."""
    assert fastest({0: [1.0, 1.0, 5.0, 5.0, 5.0], 1: [1.1, 1.1, 5.5, 1.2, 5.5], 2: [1.3, 1.3, 6.5, 6.5, 6.5]}) == 0
