"""Evaluates a job's newest checkpoint on its test examples, each counted exactly once, on one device."""
import argparse
import json
from typing import Sequence

from legacy_towers.cli.job_options import add_job, job_of


def add_arguments(parser: argparse.ArgumentParser, given: Sequence[str]) -> None:
    add_checkpoint(parser)
    parser.add_argument("--json", action="store_true", help="print one JSON object: step, examples, metrics")
    add_job(parser, given)


def add_checkpoint(parser: argparse.ArgumentParser) -> None:
    """Adds what every command on a trained job takes."""
    parser.add_argument("--checkpoint-dir", required=True, metavar="DIR", help="where training kept its checkpoints")
    parser.add_argument("--batch-size", type=int, default=100, metavar="N", help="examples per run (default: 100)")
    parser.add_argument("--device", choices=("cpu", "gpu"), default="cpu", help="where it runs (default: cpu)")


def run(arguments: argparse.Namespace) -> int:
    _, job = job_of(arguments)
    from legacy_towers.training import evaluate

    evaluation = evaluate(job, arguments.checkpoint_dir, arguments.batch_size, arguments.device)
    print(json.dumps(evaluation._asdict(), sort_keys=True) if arguments.json else evaluation)
    return 0
