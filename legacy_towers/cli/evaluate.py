"""Evaluates a job's newest checkpoint on its test examples, each counted exactly once, on one tower or several."""
import argparse
import json
from typing import Any, Dict, List, Sequence

from legacy_towers.cli.job_options import add_job, job_of
from legacy_towers.cli.parser import Parser


def add_arguments(parser: Parser, given: Sequence[str]) -> None:
    add_checkpoint(parser)
    parser.add_argument("--towers", type=int, default=1, metavar="N", help="number of towers (default: 1)")
    parser.add_argument("--json", action="store_true", help="print one JSON object: step, examples, metrics")
    add_job(parser, given)


def add_checkpoint(parser: Parser) -> None:
    """Adds what every command on a trained job takes."""
    parser.add_argument("--checkpoint-dir", required=True, metavar="DIR", help="where training kept its checkpoints")
    parser.add_argument("--batch-size", type=int, default=100, metavar="N", help="examples per tower in a run (100)")
    parser.add_argument("--device", choices=("cpu", "gpu"), default="cpu", help="where it runs (default: cpu)")
    parser.add_argument("--soft-placement", action="store_true", help="let TensorFlow move what the device can't run")


def of_checkpoint(arguments: argparse.Namespace) -> Dict[str, Any]:
    """Returns what `add_checkpoint` took, as arguments for `evaluate` and `predict`; all but the device."""
    return {name: getattr(arguments, name) for name in ("checkpoint_dir", "batch_size", "soft_placement")}


def devices_of(arguments: argparse.Namespace, towers: int) -> List[str]:
    """Returns a device string per tower."""
    from legacy_towers.training.places import tower_devices

    return tower_devices(arguments.device, towers, arguments.soft_placement)


def run(arguments: argparse.Namespace) -> int:
    _, job = job_of(arguments)
    from legacy_towers.training import evaluate

    evaluation = evaluate(job, devices=devices_of(arguments, arguments.towers), **of_checkpoint(arguments))
    print(json.dumps(evaluation._asdict(), sort_keys=True) if arguments.json else evaluation)
    return 0
