"""Records results of this TensorFlow for the tests of other versions: python tests/reference/record.py

It writes to the folder of this version, next to this file, and replaces its content. Both 1.15 and 2.21 are recorded
again whenever a net, the order of its data or the order of its steps changes in tests/nets.py or tests/version_runs.py.
"""
import os
import sys

import numpy as np

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path.insert(0, os.path.dirname(HERE))

import version_runs as runs  # noqa: E402


def main():
    folder = os.path.join(HERE, runs.name())
    if not os.path.isdir(folder):
        os.mkdir(folder)
    for kind in runs.KINDS:
        write(folder, kind + "-float64", runs.trajectory(kind, np.float64))
        write(folder, kind + "-float32", runs.trajectory(kind, np.float32, runs.SNAPSHOTS[kind]))
    for optimizer in sorted(runs.OPTIMIZERS):
        prefix = runs.write_checkpoint(os.path.join(folder, optimizer), optimizer)
        write(folder, optimizer + "-next", runs.step_from_checkpoint(prefix, optimizer))


def write(folder, name, values):
    # A slash in the name of an .npz entry would be a folder inside the archive.
    np.savez_compressed(os.path.join(folder, name + ".npz"), **{k.replace("/", "|"): v for k, v in values.items()})


if __name__ == "__main__":
    main()
