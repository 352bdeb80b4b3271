"""The time that `legacy-towers run SCRIPT` adds to the start of a script.

    python tests/benchmarks/script_start.py

Two scripts, run in turns by python and by `legacy-towers run`: one that imports nothing, and one that imports
TensorFlow and runs an op in a session. Medians of wall-clock seconds and of CPU seconds, which other load disturbs
less, and of the paired differences. The bar: at most 0.5 s.
"""
import os
import resource
import statistics
import subprocess
import sys
import tempfile
import time

ROUNDS = 5
SCRIPTS = {
    "empty": "",
    "session": """
import tensorflow.compat.v1 as tf
tf.disable_v2_behavior()
with tf.Session() as session:
    session.run(tf.constant(1.0))
""",
}


def seconds(command, folder):
    """Returns (wall-clock seconds, CPU seconds)."""
    before, started = resource.getrusage(resource.RUSAGE_CHILDREN), time.perf_counter()
    subprocess.run(command, cwd=folder, check=True, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    after, ended = resource.getrusage(resource.RUSAGE_CHILDREN), time.perf_counter()
    return ended - started, after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime


def main():
    with tempfile.TemporaryDirectory() as folder:
        for name, source in SCRIPTS.items():
            path = os.path.join(folder, name + ".py")
            with open(path, "w") as file:
                file.write(source)
            plain, ours = [], []
            for round_number in range(ROUNDS + 1):
                one = seconds([sys.executable, path], folder)
                other = seconds([sys.executable, "-m", "legacy_towers", "run", path], folder)
                if round_number:  # the first round fills the disk cache
                    plain.append(one)
                    ours.append(other)
            for kind, index in (("clock", 0), ("processor", 1)):
                more = [new[index] - old[index] for old, new in zip(plain, ours)]
                print("{:8} {:10} python {:.2f} s, run {:.2f} s: {:+.2f} s ({:+.2f} to {:+.2f})".format(
                    name, kind, statistics.median(each[index] for each in plain),
                    statistics.median(each[index] for each in ours), statistics.median(more), min(more), max(more),
                ))


if __name__ == "__main__":
    main()
