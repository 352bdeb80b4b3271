"""Finds in the first steps of a script, or in a MetaGraph, what makes it slow or wrong.

    legacy-towers doctor [OPTIONS] SCRIPT [ARGUMENTS OF THE SCRIPT]
    legacy-towers doctor [OPTIONS] MODEL.meta
    legacy-towers doctor --explain CODE

A script runs as under `legacy-towers run` and ends after --steps session runs; its graphs
stay as they are. A MetaGraph is not run, so that fewer checks apply. The exit code is 1 if
an error is found, or the script's own; warnings leave it at 0.
"""
import argparse
import functools
import sys
from typing import Callable, List, Union

from legacy_towers.cli import run as run_command
from legacy_towers.cli.parser import Parser
from legacy_towers.cli.quiet import add_show_logs
from legacy_towers.errors import UserError

STEPS, TIMEOUT = 30, 60
FAILED = 1
META = ".meta"


def add_arguments(parser: Parser, given: List[str]) -> None:
    from legacy_towers.run.runtime import options

    parser.usage = "%(prog)s [OPTIONS] SCRIPT [ARGUMENTS]\n       %(prog)s [OPTIONS] -m MODULE [ARGUMENTS]\n" \
        "       %(prog)s [OPTIONS] MODEL.meta\n       %(prog)s --explain CODE"
    parser.note = "the script's own options come after it"
    parser.add_argument(
        "--steps", type=options.at_least(1), default=STEPS, metavar="N",
        help="session runs after which the script ends (default: {})".format(STEPS),
    )
    parser.add_argument(
        "--timeout", type=options.at_least(1), default=TIMEOUT, metavar="SECONDS",
        help="end the script if one of its session runs takes longer (default: {})".format(TIMEOUT),
    )
    parser.add_argument("--select", type=_codes, default=(), metavar="CODES",
                        help="run only these checks: codes or their beginnings, separated by commas (LD3,LD401)")
    parser.add_argument("--ignore", type=_codes, default=(), metavar="CODES", help="leave these checks out")
    parser.add_argument("--json", action="store_true", help="print the findings as one JSON object")
    parser.add_argument("--explain", metavar="CODE", help="print what a check finds, why it matters and what to do")
    add_show_logs(parser)
    run_command.add_script_arguments(parser)
    options.add_arguments(parser, shows_timeout=False)
    run_command.take_program(parser, given)


def run(arguments: argparse.Namespace) -> Union[int, Callable[[], None]]:
    if arguments.explain is not None:
        return _explain(arguments)
    run_command.check_working_folder()
    if arguments.timeout_steps is not None:
        raise UserError("--timeout-steps is an option of run; for doctor, pass --steps instead")
    if len(arguments.program) == 1 and arguments.program[0].endswith(META):
        return _of_meta_graph(arguments)
    from legacy_towers.doctor import command

    script_run, execute = run_command.prepared(arguments, timeout_steps=arguments.steps)
    settings = command.Settings(arguments.select, arguments.ignore, arguments.json, arguments.timeout)
    return functools.partial(command.diagnose, execute, script_run, settings, sys.stdout)


def _codes(text: str) -> List[str]:
    return [each.strip().upper() for each in text.split(",")]


def _explain(arguments: argparse.Namespace) -> int:
    if arguments.program:
        raise UserError("--explain runs nothing: remove {!r}".format(arguments.program[0]))
    from legacy_towers.doctor import examine as _registered  # noqa: F401  # registers the checks
    from legacy_towers.doctor import output, registry

    print(output.explanation(registry.of_code(arguments.explain.upper())))
    return 0


def _of_meta_graph(arguments: argparse.Namespace) -> int:
    from legacy_towers.doctor import output
    from legacy_towers.doctor.meta_graph import examine_file

    findings = examine_file(arguments.program[0], arguments.select, arguments.ignore)
    subject = output.counted_subject(1, 0)
    print(output.as_json(findings, subject) if arguments.json else output.as_text(findings, subject))
    return FAILED if output.has_errors(findings) else 0
