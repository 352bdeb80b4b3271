"""Evaluates the newest checkpoint of a job, or the best one, on its test examples, on one tower or several.

Each example counts exactly once.
"""
import argparse
import json
import sys
from typing import Any, Dict, List, Sequence

from legacy_towers.cli.job_options import add_job, job_of
from legacy_towers.cli.parser import Parser
from legacy_towers.training.settings import check_at_least_one, check_has_checkpoint, check_towers


def add_arguments(parser: Parser, given: Sequence[str]) -> None:
    add_checkpoint(parser)
    parser.add_argument("--towers", type=int, default=1, metavar="N", help="number of towers (default: 1)")
    parser.add_argument("--json", action="store_true", help="print one JSON object: step, examples, metrics")
    add_job(parser, given)


def add_checkpoint(parser: Parser) -> None:
    """Adds the options that evaluate and predict have in common."""
    parser.add_argument(
        "--checkpoint-dir", required=True, metavar="DIR",
        help="checkpoint directory of the training run",
    )
    parser.add_argument(
        "--best", action="store_true",
        help="use the best checkpoint, by --keep-best in training, instead of the newest one",
    )
    parser.add_argument(
        "--batch-size", type=int, default=100, metavar="N",
        help="examples per tower and run (default: 100)",
    )
    parser.add_argument("--device", choices=("cpu", "gpu"), default="cpu", help="type of the device (default: cpu)")
    parser.add_argument(
        "--soft-placement", action="store_true",
        help="let TensorFlow move operations that the device can't run",
    )


def of_checkpoint(arguments: argparse.Namespace) -> Dict[str, Any]:
    """Returns the options of `add_checkpoint` except the device, as arguments for `evaluate` and `predict`."""
    return {name: getattr(arguments, name) for name in ("checkpoint_dir", "best", "batch_size", "soft_placement")}


def devices_of(arguments: argparse.Namespace, towers: int) -> List[str]:
    """Returns one device string per tower."""
    from legacy_towers.training.devices import tower_devices

    return tower_devices(arguments.device, towers, arguments.soft_placement)


def check_checkpoint(arguments: argparse.Namespace) -> None:
    """Checks the options of `add_checkpoint`; needs no TensorFlow."""
    check_at_least_one("--batch-size", arguments.batch_size)
    check_has_checkpoint(arguments.checkpoint_dir)


def check(arguments: argparse.Namespace) -> None:
    check_towers(arguments.device, arguments.towers)
    check_checkpoint(arguments)


def run(arguments: argparse.Namespace) -> int:
    _, job = job_of(arguments)
    from legacy_towers.training.evaluate import evaluate
    from legacy_towers.training.hooks.signal_watch import interruptible

    with interruptible():
        evaluation = evaluate(
            job, devices=devices_of(arguments, arguments.towers), stream=sys.stderr, **of_checkpoint(arguments)
        )
    print(json.dumps(evaluation._asdict(), sort_keys=True) if arguments.json else evaluation)
    return 0
