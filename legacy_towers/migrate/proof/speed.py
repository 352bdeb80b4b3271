"""Measures both versions of a pipeline in turns that alternate."""
import statistics
import time
from typing import Any, Dict, List, Optional

from legacy_towers.compat import tf
from legacy_towers.measure.rounds import LEAST_TURN_SECONDS, order_of_rounds
from legacy_towers.measure.statistics import ratio_interval
from legacy_towers.migrate.proof.recording import reading
from legacy_towers.migrate.proof.sides import Shape, Side
from legacy_towers.migrate.proof.values import Speed


def measure(
    queue: Side, dataset: Side, shape: Shape, seconds: float, rounds: int, turn_seconds: float = 1.0
) -> Optional[Speed]:
    """Measures examples/s and CPU time.

    Each turn reads one epoch, or as much of it as `turn_seconds` allow, in a new session; it starts with the queue
    runners, so that what these read ahead is paid for.

    Args:
      queue: the queues' version.
      dataset: tf.data's version.
      shape: what is read.
      seconds: how long one batch may take.
      rounds: the number of rounds, in each of which both versions have a turn.
      turn_seconds: the length of a turn.

    Returns:
      A `Speed`; None if the data ends so early that a turn measures little but its start.
    """
    sides = {"queue": queue, "dataset": dataset}
    rates: Dict[str, List[float]] = {name: [] for name in sides}
    cpu: Dict[str, List[float]] = {name: [] for name in sides}
    for order in order_of_rounds(list(sides), rounds):
        for name in order:
            examples, wall, used = _turn(sides[name], shape, seconds, turn_seconds)
            if wall < LEAST_TURN_SECONDS or not examples or not used:
                return None
            rates[name].append(examples / wall)
            cpu[name].append(used / examples)
    return Speed(
        statistics.median(rates["queue"]), statistics.median(rates["dataset"]),
        ratio_interval(rates["dataset"], rates["queue"]),
        1e6 * statistics.median(cpu["queue"]), 1e6 * statistics.median(cpu["dataset"]),
        ratio_interval(cpu["dataset"], cpu["queue"]),
    )


def _turn(side: Side, shape: Shape, seconds: float, turn_seconds: float) -> Any:
    examples = 0
    started, cpu = time.perf_counter(), time.process_time()
    with reading(side, seconds) as read:
        try:
            while not examples or time.perf_counter() - started < turn_seconds:
                values = read()
                first = values[0]
                examples += 1 if not shape.has_batches else (
                    int(first[2][0]) if isinstance(first, tuple) else len(first)
                )
        except tf.errors.OutOfRangeError:
            pass  # the end of the epoch
        # Stopping threads is not part of the turn.
        return examples, time.perf_counter() - started, time.process_time() - cpu
