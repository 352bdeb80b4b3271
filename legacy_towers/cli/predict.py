"""Writes a prediction for each test example of a job, in order, from its newest checkpoint.

Without --output, or if FILE ends in .jsonl, each line is a JSON object:
{"example": 0, "predictions": ...}. If FILE ends in .npz, it has one array per
component, whose first axis is the example.
"""
import argparse
import sys
from typing import Sequence

from legacy_towers.cli.checkpoint_options import add_checkpoint_run, check_checkpoint_run, devices_of, of_checkpoint_run
from legacy_towers.cli.job_options import add_job, job_of
from legacy_towers.cli.parser import Parser
from legacy_towers.training.settings import check_output


def add_arguments(parser: Parser, given: Sequence[str]) -> None:
    add_checkpoint_run(parser)
    parser.add_argument("--output", metavar="FILE", help="write a .jsonl or .npz file (default: standard output)")
    add_job(parser, given)


def check(arguments: argparse.Namespace) -> None:
    check_output(arguments.output)
    check_checkpoint_run(arguments)


def run(arguments: argparse.Namespace) -> int:
    _, job = job_of(arguments)
    from legacy_towers.training.evaluation.predict import predict, write_predictions
    from legacy_towers.training.hooks.signal_watch import interruptible

    with interruptible():
        predictions = predict(
            job, device=devices_of(arguments, 1)[0], stream=sys.stderr, **of_checkpoint_run(arguments)
        )
    count = write_predictions(predictions, arguments.output)
    if arguments.output:
        print("{} predictions in {}".format(count, arguments.output))
    return 0
