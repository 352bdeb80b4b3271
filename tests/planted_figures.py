"""Planted figures: rates of input pipelines, with drift of the machine, autocorrelated noise, and disturbed turns."""
import numpy as np

from legacy_towers.report.document import Row, Spread, Waiting


def rates(seed, pipelines, rounds, noise, winner=None, gain=1.0, disturbed=0.05):
    """Returns pipeline -> examples/s per round.

    All pipelines share the drift (autoregressive, 5 % per round); each has its own noise (autoregressive with 0.3), and
    in 1 of 20 turns another process takes 10 to 40 % of the machine.
    """
    random = np.random.RandomState(seed)
    drift = 0.0
    own = {pipeline: 0.0 for pipeline in pipelines}
    found = {pipeline: [] for pipeline in pipelines}
    for _ in range(rounds):
        drift = 0.8 * drift + 0.05 * random.randn()
        for pipeline in pipelines:
            own[pipeline] = 0.3 * own[pipeline] + noise * random.randn()
            rate = 1000 * np.exp(drift + own[pipeline]) * (gain if pipeline == winner else 1.0)
            if random.rand() < disturbed:
                rate *= 1 - random.uniform(0.1, 0.4)
            found[pipeline].append(float(rate))
    return found


def spread(values):
    return Spread(float(np.median(values)), min(values), max(values), list(values))


def row(pipeline, values=None, towers=4, failed=None, waits=(0.41, 0.40), ratio=0.6):
    """Returns a row of the document with these examples/s per round, or a failed one without them."""
    if values is None:
        return Row(pipeline, towers, failed or "it broke", *[None] * 18, timeline=[])
    waiting = Waiting(spread([waits[0]] * 5), spread([waits[1]] * 5), abs(waits[0] - waits[1]) > 0.05)
    return Row(
        candidate=pipeline, towers=towers, failed=None, input=pipeline, variables=None, reduction=None, plan={},
        examples_per_second=spread(values), updates_per_second=spread(values), steps_per_turn=20,
        step_ms_p50=1.0, step_ms_p95=2.0,
        waiting=None if pipeline == "synthetic" else waiting, cpu_cores=spread([1.0] * 5),
        peak_memory_bytes=1, fed_bytes_per_step=0.0, copied_bytes_per_step=0.0,
        ratio_to_current=None, ratio_to_synthetic=None if ratio is None else spread([ratio] * 5),
        speedup_over_one_tower=None, traced_steps=9, timeline=[],
    )
