"""Exports the newest checkpoint of a job, or the best one, as a SavedModel for one device.

What the predictions of the job need is exported, without towers, input pipeline and
training ops. The signature serving_default takes the components of a batch that they
need, and returns them; --output DIR must not exist. For TensorFlow Serving, name a
version of the model, as in --output models/digits/1.
"""
import argparse
import sys
from typing import List, Optional, Sequence

from legacy_towers.cli.checkpoint_options import add_checkpoint, check_checkpoint
from legacy_towers.cli.job_options import add_job, job_of
from legacy_towers.cli.parser import Parser
from legacy_towers.errors import ArgumentError
from legacy_towers.training.settings import check_at_least_one, check_new_directory


def add_arguments(parser: Parser, given: Sequence[str]) -> None:
    add_checkpoint(parser)
    parser.add_argument("--output", required=True, metavar="DIR", help="directory to create for the SavedModel")
    parser.add_argument(
        "--outputs", metavar="NAME,...", help="predictions to export, separated by commas (default: all)"
    )
    parser.add_argument(
        "--batch-size", type=int, metavar="N", help="fixed number of examples per request (default: any number)"
    )
    parser.add_argument(
        "--serialized", action="store_true",
        help="take serialized records, such as tf.train.Examples, and parse them as the job does",
    )
    add_job(parser, given)


def check(arguments: argparse.Namespace) -> None:
    check_at_least_one("--batch-size", arguments.batch_size)
    _names(arguments.outputs)
    check_new_directory("--output", arguments.output)
    check_checkpoint(arguments)


def run(arguments: argparse.Namespace) -> int:
    _, job = job_of(arguments)
    from legacy_towers.training.export.exporting import export

    exported = export(
        job,
        arguments.checkpoint_dir,
        arguments.output,
        outputs=_names(arguments.outputs),
        batch_size=arguments.batch_size,
        serialized=arguments.serialized,
        best=arguments.best,
        stream=sys.stderr,
    )
    print(exported)
    return 0


def _names(outputs: Optional[str]) -> Optional[List[str]]:
    if outputs is None:
        return None
    names = [name.strip() for name in outputs.split(",")]
    if not all(names):
        raise ArgumentError("--outputs is {!r}: give names of predictions, separated by commas".format(outputs))
    return names
