"""The order of turns and their number of steps."""
import collections

import pytest

from legacy_towers.measure.rounds import least_steps, order_of_rounds, steps_ahead_of, steps_of_turn

NAMES = ["feed", "queue", "dataset", "synthetic"]


def test_each_candidate_has_one_turn_per_round_and_never_two_consecutive_ones():
    orders = order_of_rounds(NAMES, 50)
    assert all(sorted(order) == sorted(NAMES) for order in orders)
    turns = [name for order in orders for name in order]
    assert all(one != other for one, other in zip(turns, turns[1:]))


def test_every_candidate_is_first_in_some_rounds():
    firsts = collections.Counter(order[0] for order in order_of_rounds(NAMES, 200))
    assert set(firsts) == set(NAMES) and min(firsts.values()) > 20


def test_the_seed_determines_the_order():
    assert order_of_rounds(NAMES, 9, 1) == order_of_rounds(NAMES, 9, 1) != order_of_rounds(NAMES, 9, 2)
    assert order_of_rounds(["one"], 3) == [["one"]] * 3


@pytest.mark.parametrize(
    "step_seconds, steps", [(0.02, 25), (0.021, 24), (10.0, 5), (1e-6, 200), (0.0, 200)],
    ids=["exact", "rounded", "least", "most", "step of 0 s"],
)
def test_steps_of_turn(step_seconds, steps):
    assert steps_of_turn(step_seconds, 0.5, least=5, most=200) == steps


@pytest.mark.parametrize(
    "step_seconds, ahead, steps",
    [(0.001, 5, 200), (0.1, 0, 2), (0.1, 5, 10), (1.0, 0, 1), (1e-6, 5, 2000), (1.0, 3000, 6000)],
    ids=["too short", "long enough", "prefetched", "one step is enough", "most", "many prefetched"],
)
def test_least_steps_exceed_the_prefetched_batches(step_seconds, ahead, steps):
    assert least_steps(step_seconds, ahead, most=2000) == steps


@pytest.mark.parametrize("plan, steps", [({"steps_ahead": 0}, 0), ({"steps_ahead": 7}, 7), ({"steps_ahead": None}, 10)])
def test_steps_ahead_of_a_pipeline_that_does_not_report_them_are_10(plan, steps):
    assert steps_ahead_of(plan) == steps
