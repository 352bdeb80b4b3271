"""Who has a turn when, and how long it is."""
import collections

import pytest

from legacy_towers.measure.rounds import order_of_rounds, steps_of_turn

NAMES = ["feed", "queue", "dataset", "synthetic"]


def test_everyone_has_one_turn_in_each_round_and_never_two_in_a_row():
    orders = order_of_rounds(NAMES, 50)
    assert all(sorted(order) == sorted(NAMES) for order in orders)
    turns = [name for order in orders for name in order]
    assert all(one != other for one, other in zip(turns, turns[1:]))


def test_every_place_in_a_round_falls_on_everyone():
    firsts = collections.Counter(order[0] for order in order_of_rounds(NAMES, 200))
    assert set(firsts) == set(NAMES) and min(firsts.values()) > 20


def test_the_seed_makes_the_order():
    assert order_of_rounds(NAMES, 9, 1) == order_of_rounds(NAMES, 9, 1) != order_of_rounds(NAMES, 9, 2)
    assert order_of_rounds(["one"], 3) == [["one"]] * 3


@pytest.mark.parametrize(
    "step_seconds, steps", [(0.02, 25), (0.021, 24), (10.0, 5), (1e-6, 200), (0.0, 200)],
    ids=["fills", "rounds", "least", "most", "no time at all"],
)
def test_a_turn_has_as_many_steps_as_fill_it(step_seconds, steps):
    assert steps_of_turn(step_seconds, 0.5, least=5, most=200) == steps
