"""What `legacy-towers run SCRIPT` adds to the start of a script, and to each look-up of a name of tf.

    python tests/benchmarks/script_start.py

Two scripts, by python and by run in turns: one that imports nothing, and one that imports TensorFlow and runs an op in
a session. Medians of seconds, and the median of the paired differences. The bar: at most 0.5 s.
"""
import os
import statistics
import subprocess
import sys
import tempfile
import time

ROUNDS = 9
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
    started = time.perf_counter()
    subprocess.run(command, cwd=folder, check=True, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    return time.perf_counter() - started


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
                if round_number:  # the first fills the caches of the disk
                    plain.append(one)
                    ours.append(other)
            more = statistics.median(new - old for old, new in zip(plain, ours))
            print("{:12} python {:.2f} s, run {:.2f} s: {:+.2f} s ({:+.2f} to {:+.2f})".format(
                name, statistics.median(plain), statistics.median(ours), more,
                min(new - old for old, new in zip(plain, ours)), max(new - old for old, new in zip(plain, ours)),
            ))


if __name__ == "__main__":
    main()
