"""Many sessions over one graph: no thread is left, and memory grows by no more than TensorFlow's own share.

    LEGACY_TOWERS_CYCLES=1000 pytest -m slow tests/inputs/test_cycles.py -s

A leak goes on for ever. What the C library keeps for later grows for a while too, by some pages and then by none: so
where memory grew, the cycles go on, and it counts only if it grew in each stretch of them.
"""
import gc
import os

import numpy as np
import pytest
import waiting

from legacy_towers.inputs.ways import WAYS

# Set to more for a closer look. A thousand of one way take half a minute to a minute, and there are many ways.
CYCLES = int(os.environ.get("LEGACY_TOWERS_CYCLES", "160"))
WARM_UP = 60
STRETCHES = 6
KIB_PER_CYCLE = 5


def threads():
    """Returns the number of this process's threads, TensorFlow's own included."""
    return len(os.listdir("/proc/self/task"))


def memory():
    """Returns the bytes of memory that this process has in use."""
    with open("/proc/self/statm") as source:
        return int(source.read().split()[1]) * 4096


def slope(readings):
    """Returns the growth per cycle in KiB: a line through (cycle, bytes), by least squares."""
    cycles, values = np.array(readings, float).T
    return float(np.polyfit(cycles, values, 1)[0]) / 1024


@pytest.mark.slow
@pytest.mark.skipif(not os.path.exists("/proc/self/statm"), reason="threads and memory are read from /proc")
@pytest.mark.parametrize("way, kind", [(way, "arrays") for way in WAYS] + [("feed:background", "parsed")])
def test_many_starts_and_stops(way, kind):
    from legacy_towers.compat import tf
    from legacy_towers.examples import Examples
    from legacy_towers.inputs.ways import make_way
    from legacy_towers.running import Running

    rows = np.arange(64 * 8, dtype=np.float32).reshape(64, 8)
    examples = Examples.from_arrays({"x": rows, "id": np.arange(64)}, seed=1)
    if kind == "parsed":  # feeding opens a session of its own for it
        examples = examples.map(lambda example: dict(example, x=example["x"] + 1.0))
    batches = make_way(way, examples, per_tower_batch_size=8).build(["/cpu:0", "/cpu:1"])
    fetches = [tf.identity(part) for part in tf.nest.flatten(batches.per_tower)]
    done = tf.group(*[fetch.op for fetch in fetches])
    initialize = tf.group(tf.local_variables_initializer(), tf.tables_initializer())
    config = tf.ConfigProto(device_count={"CPU": 2})
    tf.get_default_graph().finalize()

    def cycles(number):
        """Starts and stops `number` times; returns the growth of memory in KiB per cycle."""
        readings = []
        for cycle in range(number):
            with tf.Session(config=config) as session:
                with Running(session, done, batches.hooks, lambda session: session.run(initialize)) as run:
                    run()
                    run()
            if cycle % 20 == 0:
                gc.collect()
                readings.append((cycle, memory()))
        return slope(readings)

    cycles(WARM_UP)
    before = threads()
    grown = []
    while not grown or (grown[-1] > KIB_PER_CYCLE and len(grown) < STRETCHES):
        grown.append(cycles(CYCLES - WARM_UP))
    # TensorFlow's own pools may take on a thread late; a leak leaves one behind in each cycle.
    assert waiting.happens(lambda: threads() <= before + 10)
    print("{}, {}: {} KiB per cycle".format(way, kind, ", then ".join("{:.2f}".format(each) for each in grown)))
    assert min(grown) <= KIB_PER_CYCLE
