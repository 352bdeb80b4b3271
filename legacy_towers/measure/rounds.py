"""Rounds of turns: each candidate has one turn per round, in a shuffled order, so that drift affects all alike."""
import random
from typing import Any, Dict, List, Sequence

LEAST_ROUNDS = 5


def order_of_rounds(names: Sequence[str], rounds: int, seed: int = 0) -> List[List[str]]:
    """Returns the order of turns of each round: shuffled with a seed, and never with the same name twice in a row."""
    source = random.Random(seed)
    orders: List[List[str]] = []
    for _ in range(rounds):
        order = list(names)
        source.shuffle(order)
        # The last of the previous round would start with warm caches.
        if orders and len(order) > 1 and order[0] == orders[-1][-1]:
            order[0], order[-1] = order[-1], order[0]
        orders.append(order)
    return orders


# A shorter turn measures the clock and the system's scheduler rather than the step.
LEAST_TURN_SECONDS = 0.2
# Assumed where an input pipeline's plan doesn't state how many steps' batches it prefetches.
UNKNOWN_STEPS_AHEAD = 10
# At most 1 / _TURNS_AHEAD of a turn's batches may have been prefetched before the turn.
_TURNS_AHEAD = 2


def steps_of_turn(step_seconds: float, turn_seconds: float, least: int, most: int) -> int:
    """Returns how many steps of `step_seconds` fill `turn_seconds`, within the bounds."""
    fitting = most if step_seconds <= 0 else int(round(turn_seconds / step_seconds))
    return max(least, min(most, fitting))


def steps_ahead_of(plan: Dict[str, Any]) -> int:
    """Returns how many steps' batches the input pipeline of a step may have prefetched."""
    ahead = plan.get("steps_ahead")
    return UNKNOWN_STEPS_AHEAD if ahead is None else int(ahead)


def least_steps(
    step_seconds: float, steps_ahead: int, most: int, turn_seconds: float = LEAST_TURN_SECONDS
) -> int:
    """Returns the least number of steps in a turn.

    With as many steps a turn can't be filled by prefetched batches, and lasts at least `turn_seconds`.

    Args:
      step_seconds: the duration of a usual step.
      most: the upper limit of the steps that `turn_seconds` asks for.
    """
    return max(_TURNS_AHEAD * steps_ahead, steps_of_turn(step_seconds, turn_seconds, 1, most))
