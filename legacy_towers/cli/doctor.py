"""Finds in the first steps of a script or a job, in a MetaGraph or in a checkpoint, what is slow or wrong.

    legacy-towers doctor [OPTIONS] SCRIPT [ARGUMENTS OF THE SCRIPT]
    legacy-towers doctor [OPTIONS] JOB [OPTIONS OF legacy-towers train]
    legacy-towers doctor [OPTIONS] MODEL.meta
    legacy-towers doctor [OPTIONS] CHECKPOINT
    legacy-towers doctor --explain CODE

A script runs as under `legacy-towers run` and ends after --steps steps; its graphs stay as
they are. A job (a file with a function that is marked with lt.job) trains for --steps
steps, and nothing of it is kept. A MetaGraph and a checkpoint (its prefix or its folder) are
not run, so that fewer checks apply. The exit code is 1 if an error is found, or the
script's own; warnings leave it at 0.
"""
import argparse
import functools
import glob
import os
import re
import sys
from typing import Any, Callable, List, Union

from legacy_towers.cli import run as run_command
from legacy_towers.cli.job_options import add_job_options, job_of, refuse_undeclared
from legacy_towers.cli.parser import Parser
from legacy_towers.cli.quiet import add_show_logs
from legacy_towers.errors import UserError
from legacy_towers.text.codes import ALL, listed

STEPS, TIMEOUT = 30, 60
FAILED = 1
META = ".meta"
# A file of a checkpoint.
_PART = re.compile(r"\.(?:index|data-\d{5}-of-\d{5})$")


def add_arguments(parser: Parser, given: List[str]) -> None:
    from legacy_towers.run.runtime import options

    parser.usage = "%(prog)s [OPTIONS] SCRIPT [ARGUMENTS]\n       %(prog)s [OPTIONS] -m MODULE [ARGUMENTS]\n" \
        "       %(prog)s [OPTIONS] JOB [OPTIONS OF legacy-towers train]\n       %(prog)s [OPTIONS] MODEL.meta\n" \
        "       %(prog)s [OPTIONS] CHECKPOINT\n       %(prog)s --explain CODE"
    parser.note = "the script's own options come after it"
    parser.add_argument(
        "--steps", type=options.at_least(1), default=STEPS, metavar="N",
        help="steps after which a script ends, or that a job trains; a step is a session run that does more than "
        "initialize variables or fill a queue (default: {})".format(STEPS),
    )
    parser.add_argument(
        "--timeout", type=options.at_least(1), default=TIMEOUT, metavar="SECONDS",
        help="end the script or job if one of its session runs takes longer (default: {})".format(TIMEOUT),
    )
    parser.add_argument("--select", type=_codes, default=(), metavar="CODES",
                        help="run only these checks: codes or their beginnings, separated by commas (LD3,LD401)")
    parser.add_argument("--ignore", type=_codes, default=(), metavar="CODES", help="leave these checks out")
    parser.add_argument("--json", action="store_true", help="print the findings as one JSON object")
    parser.add_argument("--explain", metavar="CODE", help="print what a check finds, why it matters and what to do; "
                        "all: list the checks")
    add_show_logs(parser)
    run_command.add_script_arguments(parser)
    options.add_arguments(parser, shows_timeout=False)
    run_command.take_program(parser, given)


def run(arguments: argparse.Namespace) -> Union[int, Callable[[], None]]:
    if arguments.explain is not None:
        return _explain(arguments)
    from legacy_towers.doctor.catalog import require_codes

    require_codes(list(arguments.select) + list(arguments.ignore))
    run_command.check_working_folder()
    if not arguments.program:
        raise UserError("nothing is given: pass SCRIPT [ARGUMENTS], -m MODULE, JOB, MODEL.meta or CHECKPOINT")
    if arguments.timeout_steps is not None:
        raise UserError("--timeout-steps is an option of run; for doctor, pass --steps instead")
    from legacy_towers.training.job import declares_jobs, is_job_name

    words = arguments.program
    if words and is_job_name(words[0]) and declares_jobs(words[0]):
        return _of_job(arguments)
    if len(words) == 1 and words[0].endswith(META):
        return _of_meta_graph(arguments)
    if len(words) == 1 and _is_checkpoint(words[0]):
        return _of_checkpoint(arguments)
    from legacy_towers.doctor import command

    script_run, execute = run_command.prepared(arguments, timeout_steps=arguments.steps)
    return functools.partial(command.diagnose, execute, script_run, _settings(arguments, command), sys.stdout)


def _settings(arguments: argparse.Namespace, command: Any) -> Any:
    return command.Settings(arguments.select, arguments.ignore, arguments.json, arguments.timeout)


def _codes(text: str) -> List[str]:
    return [each.strip().upper() for each in text.split(",")]


def _explain(arguments: argparse.Namespace) -> int:
    if arguments.program:
        raise UserError("--explain runs nothing: remove {!r}".format(arguments.program[0]))
    from legacy_towers.doctor import catalog

    if arguments.explain == ALL:
        print(listed((each.code, "{} ({})".format(each.name, each.severity))
                     for each in catalog.descriptions().values()))
    else:
        print(catalog.explanation(arguments.explain.upper()))
    return 0


def _of_job(arguments: argparse.Namespace) -> int:
    from legacy_towers.cli import train as train_command
    from legacy_towers.cli.train_options import add_train_options

    words = arguments.program
    parser = Parser(prog="legacy-towers doctor JOB")
    add_train_options(parser, words)
    parsed, unknown = parser.parse_known_args(words)
    train_command.check(parsed)
    refuse_undeclared(parser, words, unknown)
    add_job_options(parser, parsed.job, words)
    parsed, unknown = parser.parse_known_args(words)
    if unknown:
        parser.refuse(unknown)
    job_function, job = job_of(parsed)
    from legacy_towers.doctor import command
    from legacy_towers.doctor.job import train_observed

    observed = functools.partial(
        train_observed, job, train_command.settings_of(parsed), job_function.name, arguments.steps, arguments
    )
    return command.diagnose_job(observed, _settings(arguments, command), sys.stdout)


def _of_meta_graph(arguments: argparse.Namespace) -> int:
    from legacy_towers.doctor import output
    from legacy_towers.doctor.meta_graph import examine_file

    return _printed(arguments, examine_file(arguments.program[0], arguments.select, arguments.ignore),
                    output.graph_of(arguments.program[0]))


def _is_checkpoint(path: str) -> bool:
    """Returns whether a path is that of a checkpoint: a file of one, a prefix, or a folder with one."""
    if os.path.isdir(path):
        names = [] if os.path.exists(os.path.join(path, "__main__.py")) else os.listdir(path)
        return any(_PART.search(name) for name in names)
    if path.endswith(".py"):
        return False
    parts = glob.glob(glob.escape(path) + ".index") + glob.glob(glob.escape(path) + ".data-*")
    return bool(parts) or _PART.search(path) is not None or ".ckpt" in os.path.basename(path)


def _of_checkpoint(arguments: argparse.Namespace) -> int:
    from legacy_towers.doctor.checkpoint import examine_checkpoint

    examined = examine_checkpoint(arguments.program[0], arguments.select, arguments.ignore)
    return _printed(arguments, examined.findings, examined.subject)


def _printed(arguments: argparse.Namespace, findings: List[Any], subject: str) -> int:
    from legacy_towers.doctor import output

    print(output.as_json(findings, subject) if arguments.json else output.as_text(findings, subject))
    return FAILED if output.has_errors(findings) else 0
