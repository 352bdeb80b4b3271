"""Evaluates the newest checkpoint of a job, or the best one, on its test examples, on one tower or several.

Each example counts exactly once.
"""
import argparse
import json
import sys
from typing import Sequence

from legacy_towers.cli.checkpoint_options import add_checkpoint_run, check_checkpoint_run, devices_of, of_checkpoint_run
from legacy_towers.cli.job_options import add_job, add_towers, job_of
from legacy_towers.cli.parser import Parser
from legacy_towers.training.settings import check_towers


def add_arguments(parser: Parser, given: Sequence[str]) -> None:
    add_checkpoint_run(parser)
    add_towers(parser, 1)
    parser.add_argument("--json", action="store_true", help="print one JSON object: step, examples, metrics")
    add_job(parser, given)


def check(arguments: argparse.Namespace) -> None:
    check_towers(arguments.device, arguments.towers)
    check_checkpoint_run(arguments)


def run(arguments: argparse.Namespace) -> int:
    _, job = job_of(arguments)
    from legacy_towers.training.evaluation.evaluate import evaluate
    from legacy_towers.training.hooks.signal_watch import interruptible

    with interruptible():
        evaluation = evaluate(
            job, devices=devices_of(arguments, arguments.towers), stream=sys.stderr, **of_checkpoint_run(arguments)
        )
    print(json.dumps(evaluation._asdict(), sort_keys=True) if arguments.json else evaluation)
    return 0
