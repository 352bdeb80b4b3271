"""Runs a job under two TensorFlows, from one set of initial values, and says where they part.

Both compute on the same batches. Compared are the variables, the batches that
each reads itself, the first loss and its gradients, and the losses of some steps,
each taken from the same values. The exit code is 0 if all of that is the same
within the bounds of the README, 1 if not, or if the job fails under one of them.
"""
import argparse
import json
import sys
from typing import Sequence

from legacy_towers.cli.job_options import add_job, job_of, options_of
from legacy_towers.cli.parser import Parser
from legacy_towers.errors import ArgumentError

SAME, PARTED = 0, 1


def add_arguments(parser: Parser, given: Sequence[str]) -> None:
    parser.add_argument(
        "--python", required=True, metavar="PYTHON",
        help="the other interpreter, where legacy_towers and another TensorFlow are installed",
    )
    parser.add_argument("--towers", type=int, default=2, metavar="N", help="number of towers (default: 2)")
    parser.add_argument("--device", choices=("cpu", "gpu"), default="cpu", help="where towers are (default: cpu)")
    parser.add_argument("--per-tower-batch-size", type=int, metavar="N", help="examples per tower (default: the job's)")
    parser.add_argument("--steps", type=int, default=10, metavar="N", help="steps that are compared (default: 10)")
    parser.add_argument("--json", metavar="FILE", help="write the findings there too")
    add_job(parser, given)


def run(arguments: argparse.Namespace) -> int:
    job_of(arguments)  # a job that can't be made is said here, before any process starts
    from legacy_towers.parity.versions import JobFailed, compare_versions
    from legacy_towers.training.places import check_file
    from legacy_towers.whole_file import write_whole

    if arguments.towers < 1:
        raise ArgumentError("--towers is {}: at least 1 is needed".format(arguments.towers))
    check_file("--json", arguments.json)
    try:
        found = compare_versions(
            arguments.job,
            arguments.python,
            options=options_of(arguments),
            towers=arguments.towers,
            device=arguments.device,
            per_tower_batch_size=arguments.per_tower_batch_size,
            steps=arguments.steps,
        )
    except JobFailed as error:
        print(error, file=sys.stderr)
        return PARTED
    print(found)
    if arguments.json is not None:
        write_whole(arguments.json, json.dumps(found.as_dict(), indent=1, sort_keys=True), "the findings")
    return SAME if found.agrees else PARTED
