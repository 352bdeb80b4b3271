"""Disturbs the training of a job, restarts it, and reports what was lost or repeated.

The job is trained once without a fault. Then each run trains it in a new temporary
directory, is disturbed at random points, and is restarted until it ends. The report
compares the examples of each step, the losses, the checkpoints, the exit codes and the
files that are left with what is documented. The exit code is 0 if every promise was
kept, and 1 if something was lost, repeated or can't be loaded.
"""
import argparse
import json
import os
from typing import List, Sequence

from legacy_towers.chaos.faults import FAULTS, parse_faults
from legacy_towers.cli.job_options import add_device, add_job, add_towers, job_of, options_of
from legacy_towers.cli.parser import Parser
from legacy_towers.errors import ArgumentError, EnvironmentProblem
from legacy_towers.specs.pipelines import HELP as PIPELINES_HELP
from legacy_towers.specs.pipelines import SYNTHETIC, check_pipeline, parse_pipeline
from legacy_towers.text.files import check_file, write_whole
from legacy_towers.training.settings import check_at_least_one, check_names, check_towers

KEPT, BROKEN = 0, 1
# Options of `train` that are passed on.
_PASSED = (
    "towers", "device", "input", "order", "variables", "reduction", "per_tower_batch_size", "steps", "save_steps",
)


def add_arguments(parser: Parser, given: Sequence[str]) -> None:
    parser.add_argument(
        "--faults", default=",".join(FAULTS), metavar="NAME,...",
        help="what happens: {} (default: all)".format("; ".join(
            "{}: {}".format(fault.name, fault.help) for fault in FAULTS.values()
        )),
    )
    parser.add_argument(
        "--runs", type=int, default=10, metavar="N", help="disturbed runs, each with 1 to 3 faults (default: 10)"
    )
    parser.add_argument("--seed", type=int, default=0, metavar="N", help="decides what happens when (default: 0)")
    parser.add_argument("--steps", type=int, default=40, metavar="N", help="steps of each run (default: 40)")
    parser.add_argument(
        "--save-steps", type=int, default=5, metavar="N", help="save a checkpoint every N steps (default: 5)"
    )
    add_towers(parser, 2)
    add_device(parser)
    parser.add_argument(
        "--input", metavar="PIPELINE", help="input pipeline: {} (default: the job's)".format(PIPELINES_HELP)
    )
    parser.add_argument("--order", choices=("any", "fixed"), default="any", help="fixed: no shuffling (default: any)")
    parser.add_argument("--variables", metavar="NAME", help="variable strategy (default: the job's)")
    parser.add_argument("--reduction", metavar="NAME", help="gradient reduction (default: the job's)")
    parser.add_argument("--per-tower-batch-size", type=int, metavar="N", help="examples per tower (default: the job's)")
    parser.add_argument("--json", metavar="FILE", help="also write the report to FILE, as JSON")
    add_job(parser, given)


def check(arguments: argparse.Namespace) -> None:
    if os.name != "posix":
        raise EnvironmentProblem("legacy-towers chaos needs the signals and pipes of Linux")
    parse_faults(arguments.faults)
    check_towers(arguments.device, arguments.towers)
    for name in ("runs", "steps", "save_steps", "per_tower_batch_size"):
        check_at_least_one("--" + name.replace("_", "-"), getattr(arguments, name))
    if arguments.seed < 0:
        raise ArgumentError("--seed is {}: at least 0 is needed".format(arguments.seed))
    if arguments.input is not None:
        check_pipeline(arguments.input, "--input")
        if any(call.name == SYNTHETIC for call in parse_pipeline(arguments.input)):
            raise ArgumentError("--input {}: synthetic batches have no examples to lose".format(arguments.input))
    check_names(arguments.variables, arguments.reduction)
    check_file("--json", arguments.json)


def run(arguments: argparse.Namespace) -> int:
    _, job = job_of(arguments)
    from legacy_towers.chaos.report import as_values, describe, describe_run
    from legacy_towers.chaos.runs import ChaosSettings, disturb

    settings = ChaosSettings(
        arguments.job, options_of(arguments), _passed(arguments), arguments.steps, arguments.input or job.input,
        parse_faults(arguments.faults), arguments.runs, arguments.seed,
    )
    outcome = disturb(settings, job, lambda number, each: print(describe_run(number, each), flush=True))
    print(describe(outcome))
    if arguments.json is not None:
        write_whole(arguments.json, json.dumps(as_values(outcome), indent=1, sort_keys=True) + "\n", "the report")
    return KEPT if outcome.keeps_its_promises else BROKEN


def _passed(arguments: argparse.Namespace) -> List[str]:
    """Returns the words for `train`."""
    words: List[str] = []
    for name in _PASSED:
        value = getattr(arguments, name)
        if value is not None:
            words += ["--" + name.replace("_", "-"), str(value)]
    return words
