"""Runs a job under two versions of TensorFlow, from the same initial values, and reports where they differ.

Both versions compute on the same batches. The command compares the variables, the
batches that each version reads itself, the first loss and its gradients, and the losses
of --steps steps, each restarted from the same values. The exit code is 0 if all are
equal within the documented bounds, and 1 if not, or if the job fails under one version.
"""
import argparse
import json
import shutil
import sys
from typing import Sequence

from legacy_towers.cli.job_options import add_device, add_job, add_towers, job_of, options_of
from legacy_towers.cli.parser import Parser
from legacy_towers.errors import ArgumentError
from legacy_towers.text.files import check_file, write_whole
from legacy_towers.training.settings import check_at_least_one, check_towers

SAME, DIFFERENT = 0, 1


def add_arguments(parser: Parser, given: Sequence[str]) -> None:
    parser.add_argument(
        "--python", required=True, metavar="PYTHON",
        help="Python interpreter with legacy_towers and the other version of TensorFlow",
    )
    add_towers(parser, 2)
    add_device(parser)
    parser.add_argument("--per-tower-batch-size", type=int, metavar="N", help="examples per tower (default: the job's)")
    parser.add_argument("--steps", type=int, default=10, metavar="N", help="number of steps to compare (default: 10)")
    parser.add_argument("--json", metavar="FILE", help="also write the findings to FILE, as JSON")
    add_job(parser, given)


def check(arguments: argparse.Namespace) -> None:
    check_towers(arguments.device, arguments.towers)
    check_at_least_one("--steps", arguments.steps)
    check_at_least_one("--per-tower-batch-size", arguments.per_tower_batch_size)
    check_file("--json", arguments.json)
    if shutil.which(arguments.python) is None:
        raise ArgumentError("--python {!r} can't be run: there is no such program".format(arguments.python))


def run(arguments: argparse.Namespace) -> int:
    job_of(arguments)  # raises an error of the job function before any process starts
    from legacy_towers.parity.versions import JobFailed, compare_versions

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
        return DIFFERENT
    print(found)
    if arguments.json is not None:
        write_whole(arguments.json, json.dumps(found.as_dict(), indent=1, sort_keys=True), "the findings")
    return SAME if found.agrees else DIFFERENT
