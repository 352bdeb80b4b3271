"""A script's run begun in this process, with the devices, graphs and sessions that `run` would give it."""
import argparse
import contextlib
import os
from unittest import mock

from legacy_towers.oldtf import current, tree
from legacy_towers.oldtf.machine import options

# The files of this folder are the script's own: what they make is told at their lines.
FOLDER = os.path.dirname(os.path.abspath(__file__))


def parsed(words):
    parser = argparse.ArgumentParser()
    options.add_arguments(parser)
    return parser.parse_args(words.split())


@contextlib.contextmanager
def script(words="", gpus=0):
    """Begins a run with the options `words`, on a machine with `gpus` GPUs; gives (the script's tf, its run)."""
    old = tree.module("tensorflow")
    run = current.ScriptRun("script.py", FOLDER)
    current.begin(run)
    try:
        with mock.patch("legacy_towers.compat.script_session.gpu_count", return_value=gpus):
            with options.prepare(parsed(words), run):
                yield old, run
    finally:
        current.end()
