"""Runs an old script, unchanged, for some session steps and tells where a step's time goes.

    legacy-towers bottleneck [OPTIONS] SCRIPT [ARGUMENTS OF THE SCRIPT]

Input that is waited for, feeds, Python between session runs and each device's work
are measured while the script runs as `legacy-towers run` runs it; it ends after
--warm-up and --steps session runs. The last line is a verdict. The exit code is the
script's; it is 1 if the script ended well, but nothing can be told of its steps.
"""
import argparse
import functools
import os
import sys
from typing import Callable, List

from legacy_towers.cli import run as run_command
from legacy_towers.cli.parser import Parser
from legacy_towers.errors import UserError
from legacy_towers.whole_file import check_writable

STEPS, WARM_UP = 100, 10
# Of as many runs one is traced, see `oldtf.bottleneck.watch`; without a trace nothing can be told of the devices.
FEWEST = 5


def add_arguments(parser: Parser, given: List[str]) -> None:
    from legacy_towers.oldtf.machine import options

    parser.usage = "%(prog)s [OPTIONS] SCRIPT [ARGUMENTS]\n       %(prog)s [OPTIONS] -m MODULE [ARGUMENTS]"
    parser.note = "options of the script come after it"
    parser.add_argument(
        "--steps", type=options.at_least(FEWEST), default=STEPS, metavar="N",
        help="session runs to measure ({})".format(STEPS),
    )
    parser.add_argument(
        "--warm-up", type=options.at_least(0), default=WARM_UP, metavar="N",
        help="session runs before them ({}): the first ones start threads and fill queues".format(WARM_UP),
    )
    parser.add_argument("--json", metavar="FILE", help="also write the figures into FILE")
    run_command.add_script_arguments(parser)
    options.add_arguments(parser, shows_timeout=False)
    run_command.take_program(parser, given)


def run(arguments: argparse.Namespace) -> Callable[[], None]:
    from legacy_towers.oldtf.bottleneck import command

    run_command.check_working_folder()
    if arguments.json is not None:
        check_writable(arguments.json, "the figures")
        # The script may change the working directory.
        arguments.json = os.path.abspath(arguments.json)
    if arguments.timeout_steps is not None:
        raise UserError("--timeout-steps is for run: here --warm-up and --steps say when the script ends")
    script_run, execute = run_command.prepared(arguments, timeout_steps=arguments.warm_up + arguments.steps)
    return functools.partial(command.measure, execute, script_run, arguments.warm_up, arguments.json, sys.stdout)
