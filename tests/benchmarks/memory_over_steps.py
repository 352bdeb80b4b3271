"""Measures whether memory grows while a run goes on: N steps of each input pipeline, in one process.

    python tests/benchmarks/memory_over_steps.py [STEPS] [PIPELINE ...]

For each pipeline the resident memory is read 40 times in the second half of the steps, after garbage collection and
after the C library has returned what it keeps for reuse. A line through the readings, by least squares, gives the
growth, which is extrapolated to 100,000 steps and printed in percent of the memory, with its standard error, in which
the noise of neighbouring readings counts as independent. The first half fills pools and caches.
"""
import ctypes
import gc
import os
import sys
import time

import numpy as np

sys.path.insert(0, os.path.dirname(os.path.dirname(os.path.abspath(__file__))))

from small_pipelines import CONFIG, NAMES, build  # noqa: E402

from legacy_towers.compat import tf  # noqa: E402

READINGS = 40
LIBC = ctypes.CDLL(None)


def memory():
    """Returns the resident bytes of this process."""
    gc.collect()
    if hasattr(LIBC, "malloc_trim"):
        LIBC.malloc_trim(0)
    with open("/proc/self/statm") as source:
        return int(source.read().split()[1]) * os.sysconf("SC_PAGE_SIZE")


def growth(readings):
    """Returns the bytes that memory grows per step, and the standard error of that."""
    steps, values = np.array(readings, float).T
    slope, start = np.polyfit(steps, values, 1)
    rest = values - (slope * steps + start)
    return slope, np.sqrt(rest.dot(rest) / (len(steps) - 2) / np.sum((steps - steps.mean()) ** 2))


def measure(name, steps):
    """Runs the steps of a pipeline; returns the readings as (step, bytes), and milliseconds per step."""
    readings, every = [], max(1, steps // (2 * READINGS))
    with tf.Graph().as_default():
        step = build(name, None)
        with tf.train.MonitoredSession(tf.train.ChiefSessionCreator(config=CONFIG), step.hooks) as session:
            started = time.perf_counter()
            for number in range(1, steps + 1):
                session.run(step.train_op)
                if number > steps // 2 and number % every == 0:
                    readings.append((number, memory()))
            seconds = time.perf_counter() - started
    return readings, 1000 * seconds / steps


def main():
    steps = int(sys.argv[1]) if len(sys.argv) > 1 else 20000
    print("TensorFlow {}, {:,} steps per pipeline, load {:.1f}".format(tf.__version__, steps, os.getloadavg()[0]))
    for name in sys.argv[2:] or NAMES:
        readings, milliseconds = measure(name, steps)
        slope, error = growth(readings)
        percent = 100000 * 100 / readings[0][1]
        print("{:22} {:4.0f} MB  {:+.2f} % +- {:.2f} over 100,000 steps  {:.2f} ms per step".format(
            name, readings[0][1] / 1e6, slope * percent, error * percent, milliseconds
        ), flush=True)


if __name__ == "__main__":
    main()
