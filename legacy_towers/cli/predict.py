"""Writes a prediction for each test example of a job, in order, from its newest checkpoint, on one device.

Without --output, or with one that ends in .jsonl, each line is a JSON object:
{"example": 0, "predictions": ...}. With one that ends in .npz it holds an array
per component, whose first axis is the example.
"""
import argparse
from typing import Sequence

from legacy_towers.cli.evaluate import add_checkpoint, devices_of, of_checkpoint
from legacy_towers.cli.job_options import add_job, job_of
from legacy_towers.cli.parser import Parser


def add_arguments(parser: Parser, given: Sequence[str]) -> None:
    add_checkpoint(parser)
    parser.add_argument("--output", metavar="FILE", help="a .jsonl or .npz file (default: standard output)")
    add_job(parser, given)


def run(arguments: argparse.Namespace) -> int:
    from legacy_towers.training.prediction_files import check_output, write_predictions

    check_output(arguments.output)
    _, job = job_of(arguments)
    from legacy_towers.training import predict

    predictions = predict(job, device=devices_of(arguments, 1)[0], **of_checkpoint(arguments))
    count = write_predictions(predictions, arguments.output)
    if arguments.output:
        print("{} predictions in {}".format(count, arguments.output))
    return 0
