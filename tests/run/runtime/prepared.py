"""Starts the run of a script in this process, with the devices, graphs and sessions of `legacy-towers run`."""
import argparse
import contextlib
import os
from unittest import mock

from legacy_towers.compat.tf1 import tree, user_script
from legacy_towers.run.runtime import options
from legacy_towers.run.runtime.symbols import SYMBOLS

# Files of this folder count as the script's own: reports name their lines.
FOLDER = os.path.dirname(os.path.abspath(__file__))


def parsed(arguments):
    parser = argparse.ArgumentParser()
    options.add_arguments(parser)
    options.add_tower_arguments(parser)
    return parser.parse_args(arguments.split())


@contextlib.contextmanager
def script(arguments="", gpus=0):
    """Starts a run with the options `arguments` on a machine with `gpus` GPUs; yields (the script's tf, its run)."""
    old = tree.module("tensorflow")
    run = user_script.ScriptRun("script.py", FOLDER, symbols=SYMBOLS)
    user_script.begin(run)
    try:
        with mock.patch("legacy_towers.compat.patches.default_sessions.gpu_count", return_value=gpus):
            with options.prepare(parsed(arguments), run):
                yield old, run
    finally:
        user_script.end()
