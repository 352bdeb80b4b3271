"""Runs a subcommand and reports an error in one line.

A subcommand is one module in this folder and one row in `SUBCOMMANDS`. The module's docstring is the description. The
module has

    add_arguments(parser, given)    `given` are the arguments after the subcommand; those it removes are not parsed
    check(arguments)                only for commands with a JOB: raises a UserError without importing TensorFlow
    run(arguments)                  returns the exit code, or a function that runs the user's script: it is called
                                    last, so that output, errors and exit code are the script's
"""
import contextlib
import importlib
import os
import sys
from typing import Any, Callable, List, NamedTuple, Optional, Sequence, Union

from legacy_towers.cli.parser import Parser
from legacy_towers.cli.quiet import CommandLogs, plain_warnings
from legacy_towers.errors import DeviceError, EnvironmentProblem, RunError, UserError
from legacy_towers.version import VERSION

PROGRAM = "legacy-towers"


class Subcommand(NamedTuple):
    name: str
    module: str
    help: str
    holds_logs: bool = True  # whether TensorFlow's log is held until the command fails


SUBCOMMANDS = (
    Subcommand("init", "legacy_towers.cli.init", "write a job file to start from, which trains as it is"),
    Subcommand("train", "legacy_towers.cli.train", "train a job on several towers, from its start or its checkpoint"),
    Subcommand("evaluate", "legacy_towers.cli.evaluate", "evaluate a job's newest checkpoint on its test examples"),
    Subcommand("predict", "legacy_towers.cli.predict", "write a prediction for each test example of a job"),
    Subcommand("export", "legacy_towers.cli.export", "export a job's newest checkpoint as a SavedModel, to serve it"),
    # False: logs are part of a script's output.
    Subcommand(
        "run", "legacy_towers.cli.run", "run an old TF1 script, unchanged, on the installed TensorFlow", False,
    ),
    Subcommand(
        "compare", "legacy_towers.cli.compare", "compare the input pipelines of a job, and report which one to use",
    ),
    Subcommand(
        "migrate", "legacy_towers.cli.migrate",
        "find the queues of source code and what they become in tf.data, or convert those of a MetaGraph",
    ),
    Subcommand(
        "parity", "legacy_towers.cli.parity", "run a job under two versions of TensorFlow and report differences",
    ),
    Subcommand(
        "chaos", "legacy_towers.cli.chaos", "disturb a job's training, restart it, and report what is lost or repeated",
    ),
    Subcommand(
        "bottleneck", "legacy_towers.cli.bottleneck", "report where the steps of an old script spend their time", False,
    ),
    Subcommand(
        "doctor", "legacy_towers.cli.doctor", "find in an old script or a graph what makes it slow or wrong", False,
    ),
    Subcommand("cluster", "legacy_towers.cli.cluster", "print the tasks of a cluster, and check that all can start"),
    Subcommand(
        "launch", "legacy_towers.cli.launch", "run a command as each task of a cluster, or as the one of this machine",
        False,
    ),
    Subcommand(
        "plan-cluster", "legacy_towers.cli.plan_cluster",
        "predict a job's step time over many workers, and which strategy is the fastest",
    ),
    Subcommand("env", "legacy_towers.cli.env", "print installed versions, usable devices, and what will not work"),
)

DONE, FAILED, REFUSED, INTERRUPTED, PIPE_CLOSED = 0, 1, 2, 130, 141
EPILOG = """\
exit codes: 0 success, 1 the job failed, 2 wrong arguments or wrong settings of the job, 130 interrupted by Ctrl-C,
143 ended by SIGTERM
`legacy-towers COMMAND --help` describes a command.
"""


def main(arguments: Optional[Sequence[str]] = None) -> int:
    """Runs the command line `arguments`, by default those of the process, which ends then; returns the exit code."""
    words = list(sys.argv[1:] if arguments is None else arguments)
    logs = CommandLogs(any(words[:1] == [row.name] and row.holds_logs for row in SUBCOMMANDS))
    with contextlib.ExitStack() as stack:
        stack.callback(logs.end, is_last=arguments is None)
        outcome = _outcome(words, logs, stack)
    if callable(outcome):
        outcome()
        return DONE
    return outcome


def _outcome(words: List[str], logs: CommandLogs, stack: contextlib.ExitStack) -> Union[int, Callable[[], None]]:
    """Returns what the command returns, or the exit code of its error; `stack` is closed after the error is printed."""
    try:
        is_quiet = words[:1] == ["train"] and _log_as_asked(words, stack)
        with plain_warnings(PROGRAM, is_quiet):
            outcome = _dispatch(words, logs)
        _flush()
        if outcome == FAILED:
            logs.show()
        return outcome
    except UserError as error:
        if isinstance(error, (DeviceError, EnvironmentProblem)):
            logs.show("W")  # why a GPU, or a library, is missing
        return _print_error("error: {}".format(error), REFUSED)
    except RunError as error:
        return _print_error("error: {}".format(error), FAILED)
    except KeyboardInterrupt as error:
        logs.show("W")  # may explain why it took so long
        return _print_error("interrupted", getattr(error, "exit_code", INTERRUPTED))
    except BrokenPipeError:
        # The reader (head, less) has closed the pipe. Python flushes sys.stdout again at exit, which would fail.
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        return PIPE_CLOSED
    except Exception as error:
        logs.show()
        if _is_tensorflow_error(error):
            return _print_error("error: {}".format(_short_text(error)), FAILED)
        from legacy_towers.training.job_traceback import print_traceback

        print_traceback(error)
        return FAILED


def _log_as_asked(words: List[str], stack: contextlib.ExitStack) -> bool:
    """Writes the output of `train` to its --log-file too; returns whether it is --quiet."""
    import shlex

    from legacy_towers.cli.log_file import LOG_FILE, QUIET, log_to, value_of

    log_file = value_of(words, LOG_FILE)
    if log_file is not None:
        stack.enter_context(log_to(log_file, " ".join([PROGRAM] + [shlex.quote(word) for word in words])))
    return QUIET in words


def _dispatch(arguments: List[str], logs: CommandLogs) -> Union[int, Callable[[], None]]:
    parser = Parser(
        prog=PROGRAM,
        description="Multi-device (tower) training on TF1 sessions, on TF 1.15 and on TF 2.13 to 2.21.",
        epilog=EPILOG,
    )
    parser.add_argument("--version", action="version", version="{} {}".format(PROGRAM, VERSION))
    # With `prog`, argparse does not format the usage to find it.
    commands = parser.add_subparsers(title="commands", dest="command", metavar="COMMAND", prog=PROGRAM)
    module, own = None, parser
    given_rows = [row for row in SUBCOMMANDS if arguments[:1] == [row.name]]
    for row in () if given_rows else SUBCOMMANDS:
        commands.add_parser(row.name, help=row.help)
    for row in given_rows:
        # Other commands are not imported, so that --help is fast.
        module = importlib.import_module(row.module)
        own = commands.add_parser(row.name, help=row.help, description=module.__doc__)
        given = arguments[1:]
        module.add_arguments(own, given)
        arguments = arguments[:1] + given
    parsed, unknown = parser.parse_known_args(arguments)
    logs.start(parsed)
    if module is not None and hasattr(module, "check"):
        from legacy_towers.cli.job_options import add_job_options, refuse_undeclared

        # First the checks without TensorFlow, whose import by the job's file takes seconds.
        module.check(parsed)
        refuse_undeclared(own, arguments[1:], unknown)
        add_job_options(own, parsed.job, arguments[1:])
        parsed, unknown = parser.parse_known_args(arguments)
    if unknown:
        own.refuse(unknown)
    if module is None:
        parser.print_help(sys.stderr)
        return REFUSED
    outcome: Union[int, Callable[[], None]] = module.run(parsed)
    return outcome


def _flush() -> None:
    if sys.stdout is not None:  # None: the parent process has closed it
        sys.stdout.flush()


def _print_error(text: str, code: int) -> int:
    _flush()
    print("{}: {}".format(PROGRAM, text), file=sys.stderr)
    return code


def _is_tensorflow_error(error: Exception) -> bool:
    if "tensorflow" not in sys.modules:
        return False
    from legacy_towers.compat import tf

    return isinstance(error, tf.errors.OpError)


def _short_text(error: Any) -> str:
    from legacy_towers.compat.versions.messages import plain_message

    where = " (in {!r})".format(error.op.name) if error.op is not None else ""
    return "{}: {}{}".format(type(error).__name__, plain_message(error), where)
