"""Who wins a race, and who leaves it: with planted times. tests/test_choose.py has real steps."""
import pytest

from legacy_towers.measure.race import Race, fastest


class Planted:
    """Takes no time, and tells the next of its times in each turn."""

    def __init__(self, times):
        self.times, self.first, self._to_come = [], times[0], list(times)
        self.is_closed = False

    def warm_up(self, seconds, turn_seconds):
        pass

    def turn(self):
        self.times.append(self._to_come.pop(0))

    def close(self):
        self.is_closed = True


def test_who_left_while_the_machine_was_quiet_does_not_win():
    """The machine is three times as slow after the fifth round: the slower one's rounds all were before."""
    race = Race()
    runners = [Planted([2.0] * 40), Planted([1.0] * 5 + [3.0] * 35), Planted([1.0] * 5 + [3.1] * 35)]
    for number, runner in enumerate(runners):
        race.enter(number, lambda runner=runner: runner)
    race.run(10.0)
    assert race.best() == 1 and race.rounds(0) == 5 and race.rounds(1) == 40
    assert runners[0].is_closed and not runners[1].is_closed
    assert race.paired_times(1, 0) == ([1.0] * 5, [2.0] * 5)
    race.close()
    assert all(runner.is_closed for runner in runners)


@pytest.mark.parametrize(
    "milliseconds, best",
    [([10.05, 10.0], 0), ([10.2, 10.0], 1), ([10.0, 9.95, 9.85], 2), ([9.0, 10.0], 0)],
    ids=["within 1 %", "more", "more than the first of three", "the first"],
)
def test_the_simpler_of_those_that_are_alike_is_taken(milliseconds, best):
    assert fastest({number: [each] * 5 for number, each in enumerate(milliseconds)}) == best


def test_times_are_compared_by_rounds():
    """The first is faster in four of five rounds, though the second has the lower median of times."""
    assert fastest({0: [1.0, 1.0, 5.0, 5.0, 5.0], 1: [1.1, 1.1, 5.5, 1.2, 5.5], 2: [1.3, 1.3, 6.5, 6.5, 6.5]}) == 0
