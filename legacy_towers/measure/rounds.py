"""Rounds: everyone has a turn in each, in an order that is shuffled anew, so that drift and neighbours fall on all."""
import random
from typing import List, Sequence

LEAST_ROUNDS = 5


def order_of_rounds(names: Sequence[str], rounds: int, seed: int = 0) -> List[List[str]]:
    """Returns the order of turns of each round: shuffled with a seed, and never one name twice in a row."""
    source = random.Random(seed)
    orders: List[List[str]] = []
    for _ in range(rounds):
        order = list(names)
        source.shuffle(order)
        # Who was last in the round before would run warm.
        if orders and len(order) > 1 and order[0] == orders[-1][-1]:
            order[0], order[-1] = order[-1], order[0]
        orders.append(order)
    return orders


def steps_of_turn(step_seconds: float, turn_seconds: float, least: int, most: int) -> int:
    """Returns how many steps of `step_seconds` fill `turn_seconds`, within the bounds."""
    fitting = most if step_seconds <= 0 else int(round(turn_seconds / step_seconds))
    return max(least, min(most, fitting))
