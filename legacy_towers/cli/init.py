"""Writes a job file to start from, which trains, evaluates, predicts, compares and exports as it is.

The data are generated; comments in the file number the places to change. A file that
exists is never overwritten.
"""
import argparse
import os
import shlex
from typing import Sequence

from legacy_towers.cli.parser import Parser
from legacy_towers.errors import ArgumentError
from legacy_towers.text.files import check_file, write_whole
from legacy_towers.training.starter_job import DATA, starter_job


def add_arguments(parser: Parser, given: Sequence[str]) -> None:
    parser.add_argument("file", nargs="?", default="job.py", metavar="FILE", help="file to write (default: job.py)")
    parser.add_argument(
        "--data", choices=DATA, default="arrays", help="what the examples of the job are read from (default: arrays)"
    )


def run(arguments: argparse.Namespace) -> int:
    path = arguments.file
    if not path.endswith(".py"):
        raise ArgumentError("FILE is {!r}: the name of a job file ends in .py".format(path))
    if os.path.lexists(path):
        raise ArgumentError("FILE is {!r}, which exists: name another one".format(path))
    check_file("FILE", path)
    write_whole(path, starter_job(path, arguments.data), "the job")
    print("wrote {0}; train it with: legacy-towers train {0} --towers 2 --checkpoint-dir run".format(shlex.quote(path)))
    return 0
