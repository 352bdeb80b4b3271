"""Adds the options of the commands that use a checkpoint of a job: evaluate, predict, export."""
import argparse
from typing import Any, Dict, List

from legacy_towers.cli.job_options import add_soft_placement
from legacy_towers.cli.parser import Parser
from legacy_towers.training.settings import DEVICE_TYPES, check_at_least_one, check_has_checkpoint


def add_checkpoint(parser: Parser) -> None:
    """Adds the options that choose a checkpoint."""
    parser.add_argument(
        "--checkpoint-dir", required=True, metavar="DIR",
        help="checkpoint directory of the training run",
    )
    parser.add_argument(
        "--best", action="store_true",
        help="use the best checkpoint, by --keep-best in training, instead of the newest one",
    )


def check_checkpoint(arguments: argparse.Namespace) -> None:
    """Checks the options of `add_checkpoint`; needs no TensorFlow."""
    check_has_checkpoint(arguments.checkpoint_dir)


def add_checkpoint_run(parser: Parser) -> None:
    """Adds the options of the commands that run the model of a checkpoint on the job's examples."""
    add_checkpoint(parser)
    parser.add_argument(
        "--batch-size", type=int, default=100, metavar="N",
        help="examples per tower and run (default: 100)",
    )
    parser.add_argument("--device", choices=DEVICE_TYPES, default="cpu", help="type of the device (default: cpu)")
    add_soft_placement(parser)


def check_checkpoint_run(arguments: argparse.Namespace) -> None:
    """Checks the options of `add_checkpoint_run`; needs no TensorFlow."""
    check_at_least_one("--batch-size", arguments.batch_size)
    check_checkpoint(arguments)


def of_checkpoint_run(arguments: argparse.Namespace) -> Dict[str, Any]:
    """Returns the options of `add_checkpoint_run` except the device, as arguments for `evaluate` and `predict`."""
    return {name: getattr(arguments, name) for name in ("checkpoint_dir", "best", "batch_size", "soft_placement")}


def devices_of(arguments: argparse.Namespace, towers: int) -> List[str]:
    """Returns one device string per tower."""
    from legacy_towers.training.devices import tower_devices

    return tower_devices(arguments.device, towers, arguments.soft_placement)
