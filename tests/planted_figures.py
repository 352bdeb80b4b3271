"""Planted figures: rates of ways in, with a machine's drift, turns that remember the last one, and disturbed turns."""
import numpy as np

from legacy_towers.report.document import Row, Spread, Waiting


def rates(seed, ways, rounds, noise, winner=None, gain=1.0, disturbed=0.05):
    """Returns way -> examples/s per round.

    All ways share the drift (autoregressive, 5 % a round); each has noise of its own (a turn takes over 0.3 of the
    last one's), and in 1 of 20 turns something else takes 10 to 40 % of the machine.
    """
    random = np.random.RandomState(seed)
    drift = 0.0
    own = {way: 0.0 for way in ways}
    found = {way: [] for way in ways}
    for _ in range(rounds):
        drift = 0.8 * drift + 0.05 * random.randn()
        for way in ways:
            own[way] = 0.3 * own[way] + noise * random.randn()
            rate = 1000 * np.exp(drift + own[way]) * (gain if way == winner else 1.0)
            if random.rand() < disturbed:
                rate *= 1 - random.uniform(0.1, 0.4)
            found[way].append(float(rate))
    return found


def spread(values):
    return Spread(float(np.median(values)), min(values), max(values), list(values))


def row(way, values=None, towers=4, failed=None, waits=(0.41, 0.40), ratio=0.6):
    """A row of the document with these examples/s per round; without them it failed."""
    if values is None:
        return Row(way, towers, failed or "it broke", *[None] * 16, timeline=[])
    waiting = Waiting(spread([waits[0]] * 5), spread([waits[1]] * 5), abs(waits[0] - waits[1]) > 0.05)
    return Row(
        candidate=way, towers=towers, failed=None, input=way, variables=None, reduction=None, plan={},
        examples_per_second=spread(values), updates_per_second=spread(values), step_ms_p50=1.0, step_ms_p95=2.0,
        waiting=None if way == "synthetic" else waiting, cpu_cores=spread([1.0] * 5),
        peak_memory_bytes=1, fed_bytes_per_step=0.0, copied_bytes_per_step=0.0,
        ratio_to_current=None, ratio_to_synthetic=None if ratio is None else spread([ratio] * 5),
        speedup_over_one_tower=None, timeline=[],
    )
