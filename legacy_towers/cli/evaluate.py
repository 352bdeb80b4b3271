"""Evaluates a job's newest checkpoint on its test examples, each counted exactly once, on one device."""
import argparse
import json
from typing import Any, Dict, Sequence

from legacy_towers.cli.job_options import add_job, job_of
from legacy_towers.cli.parser import Parser


def add_arguments(parser: Parser, given: Sequence[str]) -> None:
    add_checkpoint(parser)
    parser.add_argument("--json", action="store_true", help="print one JSON object: step, examples, metrics")
    add_job(parser, given)


def add_checkpoint(parser: Parser) -> None:
    """Adds what every command on a trained job takes."""
    parser.add_argument("--checkpoint-dir", required=True, metavar="DIR", help="where training kept its checkpoints")
    parser.add_argument("--batch-size", type=int, default=100, metavar="N", help="examples per run (default: 100)")
    parser.add_argument("--device", choices=("cpu", "gpu"), default="cpu", help="where it runs (default: cpu)")
    parser.add_argument("--soft-placement", action="store_true", help="let TensorFlow move what the device can't run")


def of_checkpoint(arguments: argparse.Namespace) -> Dict[str, Any]:
    """Returns what `add_checkpoint` took, as arguments for `evaluate` and `predict`."""
    from legacy_towers.training.places import tower_devices

    soft_placement = arguments.soft_placement
    return {
        "checkpoint_dir": arguments.checkpoint_dir,
        "batch_size": arguments.batch_size,
        "device": tower_devices(arguments.device, 1, soft_placement)[0],
        "soft_placement": soft_placement,
    }


def run(arguments: argparse.Namespace) -> int:
    _, job = job_of(arguments)
    from legacy_towers.training import evaluate

    evaluation = evaluate(job, **of_checkpoint(arguments))
    print(json.dumps(evaluation._asdict(), sort_keys=True) if arguments.json else evaluation)
    return 0
