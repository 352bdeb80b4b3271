"""Finds the subcommand, runs it, and says in one line what went wrong.

A subcommand is one module in this folder and one row in `SUBCOMMANDS`. The module's docstring is its description; it
has `add_arguments(parser, given)` and `run(arguments) -> int`, which returns the exit code. `given` are the words after
the subcommand, for the commands on a job: a job brings options of its own. What `add_arguments` takes out of `given` is
not parsed. Where `run` returns a function instead, that is a program of the user's: it is called with nothing of ours
around it, and its output, errors and exit code are the program's.
"""
import importlib
import os
import sys
from typing import Any, Callable, List, NamedTuple, Optional, Sequence, Union

from legacy_towers.cli.parser import Parser
from legacy_towers.cli.quiet import plain_warnings
from legacy_towers.errors import UserError
from legacy_towers.version import VERSION

PROGRAM = "legacy-towers"


class Subcommand(NamedTuple):
    name: str
    module: str
    help: str


SUBCOMMANDS = (
    Subcommand("train", "legacy_towers.cli.train", "train a job on several towers, from its start or its checkpoint"),
    Subcommand("evaluate", "legacy_towers.cli.evaluate", "evaluate a job's newest checkpoint on its test examples"),
    Subcommand("predict", "legacy_towers.cli.predict", "write a prediction for each test example of a job"),
    Subcommand("run", "legacy_towers.cli.run", "run an old TF1 script, unchanged, on the TensorFlow that is installed"),
    Subcommand("compare", "legacy_towers.cli.compare", "run a job with every way in, and say which one it should use"),
    Subcommand("parity", "legacy_towers.cli.parity", "run a job under two TensorFlows and say where they part"),
    Subcommand("bottleneck", "legacy_towers.cli.bottleneck", "say where the steps of an old script spend their time"),
    Subcommand("env", "legacy_towers.cli.env", "print what is installed, which devices work, and what will not"),
)

DONE, FAILED, REFUSED, INTERRUPTED, PIPE_CLOSED = 0, 1, 2, 130, 141
EPILOG = """\
exit codes: 0 done, 1 the job failed, 2 a mistake in what was typed or in the job's settings, 130 interrupted
`legacy-towers COMMAND --help` tells more about a command.
"""


def main(arguments: Optional[Sequence[str]] = None) -> int:
    """Runs the command line `arguments`, by default those of the process, and returns the exit code."""
    try:
        with plain_warnings(PROGRAM):
            outcome = _dispatch(list(sys.argv[1:] if arguments is None else arguments))
        _flush()
    except UserError as error:
        return _say("error: {}".format(error), REFUSED)
    except KeyboardInterrupt:
        return _say("interrupted", INTERRUPTED)
    except BrokenPipeError:
        # The reader (head, less) has gone. Python flushes once more at exit: let that go nowhere.
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        return PIPE_CLOSED
    except Exception as error:
        if _is_tensorflow_error(error):
            return _say("error: {}".format(_in_short(error)), FAILED)
        from legacy_towers.job_traceback import print_traceback

        print_traceback(error)
        return FAILED
    if callable(outcome):
        outcome()
        return DONE
    return outcome


def _dispatch(arguments: List[str]) -> Union[int, Callable[[], None]]:
    parser = Parser(
        prog=PROGRAM,
        description="Multi-device (tower) training on TF1 sessions, on TF 1.15 and on TF 2.13 to 2.21.",
        epilog=EPILOG,
    )
    parser.add_argument("--version", action="version", version="{} {}".format(PROGRAM, VERSION))
    commands = parser.add_subparsers(title="commands", dest="command", metavar="COMMAND")
    module, own = None, parser
    for row in SUBCOMMANDS:
        if arguments[:1] != [row.name]:
            commands.add_parser(row.name, help=row.help)
            continue
        if row.name not in ("run", "bottleneck"):  # what a script's TensorFlow logs is the script's
            # TensorFlow's C++ log: errors only, unless the user says otherwise.
            os.environ.setdefault("TF_CPP_MIN_LOG_LEVEL", "2")
        # Only the module that is asked for is imported: --help stays quick.
        module = importlib.import_module(row.module)
        own = commands.add_parser(row.name, help=row.help, description=module.__doc__)
        given = arguments[1:]
        module.add_arguments(own, given)
        arguments = arguments[:1] + given
    parsed, unknown = parser.parse_known_args(arguments)
    if unknown:
        own.refuse(unknown)
    if module is None:
        parser.print_help(sys.stderr)
        return REFUSED
    outcome: Union[int, Callable[[], None]] = module.run(parsed)
    return outcome


def _flush() -> None:
    if sys.stdout is not None:  # None: it was closed by who started us
        sys.stdout.flush()


def _say(text: str, code: int) -> int:
    _flush()
    print("{}: {}".format(PROGRAM, text), file=sys.stderr)
    return code


def _is_tensorflow_error(error: Exception) -> bool:
    if "tensorflow" not in sys.modules:
        return False
    from legacy_towers.compat import tf

    return isinstance(error, tf.errors.OpError)


def _in_short(error: Any) -> str:
    from legacy_towers.compat.messages import plain_message

    where = " (in {!r})".format(error.op.name) if error.op is not None else ""
    return "{}: {}{}".format(type(error).__name__, plain_message(error), where)
