"""Runs an old script, unchanged, for some session runs and reports where the time of its steps goes.

    legacy-towers bottleneck [OPTIONS] SCRIPT [ARGUMENTS OF THE SCRIPT]

The script runs as under `legacy-towers run` and ends after --warm-up + --steps session
runs. The report has the time that steps wait for input, the feeds, the time in Python
between session runs, and the work of each device; its last line is the verdict. The exit
code is the script's, or 1 if the script succeeded but its steps could not be measured.
"""
import argparse
import functools
import os
import sys
from typing import Callable, List

from legacy_towers.cli import run as run_command
from legacy_towers.cli.parser import Parser
from legacy_towers.cli.quiet import CommandLogs, add_show_logs
from legacy_towers.errors import UserError
from legacy_towers.text.files import check_writable

STEPS, WARM_UP = 100, 10
# With fewer runs none is traced, see `run.bottleneck.watch`, and the devices' work is measured by a trace.
LEAST_STEPS = 5


def add_arguments(parser: Parser, given: List[str]) -> None:
    from legacy_towers.run.runtime import options

    parser.usage = "%(prog)s [OPTIONS] SCRIPT [ARGUMENTS]\n       %(prog)s [OPTIONS] -m MODULE [ARGUMENTS]"
    parser.note = "the script's own options come after it"
    parser.add_argument(
        "--steps", type=options.at_least(LEAST_STEPS), default=STEPS, metavar="N",
        help="session runs to measure (default: {})".format(STEPS),
    )
    parser.add_argument(
        "--warm-up", type=options.at_least(0), default=WARM_UP, metavar="N",
        help="session runs before the measured ones, in which queues fill (default: {})".format(WARM_UP),
    )
    parser.add_argument("--json", metavar="FILE", help="also write the figures to FILE, as JSON")
    add_show_logs(parser)
    run_command.add_script_arguments(parser)
    options.add_arguments(parser, shows_timeout=False)
    run_command.take_program(parser, given)


def run(arguments: argparse.Namespace) -> Callable[[], None]:
    from legacy_towers.run.bottleneck import command

    run_command.check_working_folder()
    if arguments.json is not None:
        check_writable(arguments.json, "the figures")
        # The script may change the working directory.
        arguments.json = os.path.abspath(arguments.json)
    if arguments.timeout_steps is not None:
        raise UserError("--timeout-steps is an option of run; for bottleneck, pass --warm-up and --steps instead")
    script_run, execute = run_command.prepared(arguments, timeout_steps=arguments.warm_up + arguments.steps)
    measure = functools.partial(command.measure, execute, script_run, arguments.warm_up, arguments.json, sys.stdout)
    return functools.partial(_with_held_logs, measure, arguments)


def _with_held_logs(measure: Callable[[], None], arguments: argparse.Namespace) -> None:
    """Holds the log of TensorFlow's C++ code, which has lines for each traced run, until the script fails."""
    logs = CommandLogs(True)
    logs.start(arguments)
    try:
        measure()
    except SystemExit as end:
        if end.code:
            logs.show()
        raise
    except KeyboardInterrupt:
        logs.show("W")
        raise
    except BaseException:
        logs.show()
        raise
    finally:
        logs.end()
