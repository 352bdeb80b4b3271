"""Many sessions over one graph: no thread is left, and memory grows by no more than TensorFlow's own share.

    LEGACY_TOWERS_CYCLES=1000 pytest -m slow tests/inputs/test_cycles.py -s

runs more cycles, of all input pipelines in place of one for each kind of thread and hook.

A leak continues. TensorFlow's pools and the C library grow too, but less and less: so where memory grew, the cycles
continue, and it counts only if it grew in each stretch of them.
"""
import ctypes
import gc
import os

import numpy as np
import pytest
import waiting

from legacy_towers.specs.pipelines import PIPELINES

# More cycles show smaller leaks. A thousand cycles of one pipeline take half a minute to a minute.
CYCLES = int(os.environ.get("LEGACY_TOWERS_CYCLES", "90"))
WARM_UP = 40
SHORT = ["feed:background", "dataset:split", "staged+queue"]
TESTED = PIPELINES if "LEGACY_TOWERS_CYCLES" in os.environ else SHORT
STRETCHES = 6
LIBC = ctypes.CDLL(None)
KIB_PER_CYCLE = 5


def threads():
    """Returns the number of this process's threads, TensorFlow's own included."""
    return len(os.listdir("/proc/self/task"))


def memory():
    """Returns the bytes of memory that this process has in use, without what the C library keeps for reuse."""
    gc.collect()
    if hasattr(LIBC, "malloc_trim"):
        LIBC.malloc_trim(0)
    with open("/proc/self/statm") as source:
        return int(source.read().split()[1]) * 4096


def slope(readings):
    """Returns the growth per cycle in KiB: a line through (cycle, bytes), by least squares."""
    cycles, values = np.array(readings, float).T
    return float(np.polyfit(cycles, values, 1)[0]) / 1024


@pytest.mark.slow
@pytest.mark.skipif(not os.path.exists("/proc/self/statm"), reason="threads and memory are read from /proc")
@pytest.mark.parametrize(
    "pipeline, kind", [(pipeline, "arrays") for pipeline in TESTED] + [("feed:background", "parsed")]
)
def test_many_starts_and_stops(pipeline, kind):
    from legacy_towers.compat import tf
    from legacy_towers.data import Examples
    from legacy_towers.inputs.named import make_pipeline
    from legacy_towers.step.running import Running

    rows = np.arange(64 * 8, dtype=np.float32).reshape(64, 8)
    examples = Examples.from_arrays({"x": rows, "id": np.arange(64)}, seed=1)
    if kind == "parsed":  # feeding opens a session of its own for it
        examples = examples.map(lambda example: dict(example, x=example["x"] + 1.0))
    batches = make_pipeline(pipeline, examples, per_tower_batch_size=8).build(["/cpu:0", "/cpu:1"])
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
            if cycle % 10 == 0:
                readings.append((cycle, memory()))
        return slope(readings)

    cycles(WARM_UP)
    before = threads()
    grown = []
    while not grown or (grown[-1] > KIB_PER_CYCLE and len(grown) < STRETCHES):
        grown.append(cycles(CYCLES - WARM_UP))
    # TensorFlow's pools may start a thread late; a leak leaves one in each cycle.
    assert waiting.happens(lambda: threads() <= before + 10)
    print("{}, {}: {} KiB per cycle".format(pipeline, kind, ", then ".join("{:.2f}".format(each) for each in grown)))
    assert min(grown) <= KIB_PER_CYCLE
