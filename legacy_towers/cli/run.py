"""Runs an old script, unchanged, on the installed TensorFlow.

    legacy-towers run [OPTIONS] SCRIPT [ARGUMENTS OF THE SCRIPT]
    legacy-towers run [OPTIONS] -m MODULE [ARGUMENTS OF THE MODULE]

The script's own files import TensorFlow 1.x, tf.contrib included, as tensorflow;
libraries import the installed one. Exit code, output and signals are the script's.
Python scripts that it starts with subprocess run in the same way. `--` ends the options.

    legacy-towers run --check PATH                or  --check -m MODULE

runs nothing: it lists the missing APIs, those that the script, or the files of a folder,
use and that are not supported. The exit code is 1 if there are any.
"""
import argparse
import atexit
import contextlib
import functools
import itertools
import os
from typing import Any, Callable, ContextManager, List, Tuple, Union

from legacy_towers.cli.parser import Parser
from legacy_towers.errors import UserError

# The arguments that --check allows.
_CHECK_ARGUMENTS = ("command", "check", "json", "program", "options_of_run")

_WITHOUT_A_SCRIPT = ("--check", "--json", "--help")


def add_arguments(parser: Parser, given: List[str]) -> None:
    from legacy_towers.run.runtime import options

    parser.usage = "%(prog)s [OPTIONS] SCRIPT [ARGUMENTS]\n       %(prog)s [OPTIONS] -m MODULE [ARGUMENTS]"
    parser.note = "the script's own options come after it"
    check = parser.add_argument_group("without running anything")
    check.add_argument("--check", metavar="PATH", help="list the missing APIs of the script or folder at PATH")
    check.add_argument("--json", action="store_true", help="print the result of --check as one JSON object")
    add_script_arguments(parser)
    parser.add_argument(
        "--no-doctor",
        action="store_true",
        help="do not look for errors in the graph at the first training step; without it, each error that `doctor` "
        "finds there is one line on standard error",
    )
    options.add_tower_arguments(parser)
    options.add_arguments(parser)
    _join_checked_module(given)
    words = list(given)
    take_program(parser, given)
    has_dashes = "--" in words[: len(words) - len(parser.get_default("program"))]
    # Who passes an option, or the end of the options, to `run` knows where they stand.
    parser.set_defaults(options_of_run=[] if has_dashes else _misplaceable(parser, given))
    if any(word.split("=")[0] == "--check" for word in given):
        parser.note = "--check runs nothing: remove the script's options"


def add_script_arguments(parser: Parser) -> None:
    """Adds the options about the script itself, for each command that runs one."""
    parser.add_argument(
        "--py2",
        action="store_true",
        help="treat the script and all its own files as Python 2, division of ints included; without it, only files "
        "that are not valid Python 3",
    )
    parser.add_argument(
        "--warnings",
        action="store_true",
        help="print the deprecation warnings of TensorFlow 2 and tf_keras; without it, one line at the end counts "
        "those that TensorFlow logged",
    )
    parser.add_argument(
        "--generate-data",
        action="store_true",
        help="if the tutorial's reader finds no MNIST files, write files of this format from scikit-learn's digits",
    )


def check_working_folder() -> None:
    """Checks that the working directory exists: relative paths can't be resolved without it.

    Raises:
      UserError: the working directory was removed.
    """
    try:
        os.getcwd()
    except OSError as error:
        raise UserError("the working directory does not exist any more: change to another one") from error


def run(arguments: argparse.Namespace) -> Union[int, Callable[[], None]]:
    check_working_folder()
    if arguments.check is not None:
        return _check(arguments)
    if arguments.json:
        raise UserError("--json is an option of --check: pass --check PATH too")
    if arguments.keep is not None and arguments.towers is None:
        raise UserError("--keep needs --towers")
    script_run, execute = prepared(arguments)
    if arguments.towers is not None:
        script_run.when_tensorflow_is_there(functools.partial(_train_on_towers, script_run, arguments.keep or "global"))
    misplaced = _misplaced_options(arguments, script_run)
    if not arguments.no_doctor:
        # Not before: the script may set environment variables before it imports TensorFlow.
        script_run.when_tensorflow_is_there(functools.partial(_examine_training, script_run, misplaced))
    return execute if misplaced is None else functools.partial(_execute_with_hint, execute, misplaced)


def _misplaceable(parser: Parser, given: List[str]) -> List[str]:
    """Returns the long options of a parser that a script can be run with, and that are not given."""
    without = set(_WITHOUT_A_SCRIPT) | {each.partition("=")[0] for each in given}
    return [each for each in parser._option_string_actions if each.startswith("--") and each not in without]


def _misplaced_options(arguments: argparse.Namespace, script_run: Any) -> Any:
    """Returns what reports options of `run` that stand after the script; None if there are none."""
    program = list(itertools.takewhile(lambda word: word != "--", arguments.program))
    words = [each.partition("=")[0] for each in program[1:] if each.startswith("--")]
    given = [each for each in words if each in arguments.options_of_run]
    if not given:
        return None
    from legacy_towers.run.misplaced_options import MisplacedOptions

    return MisplacedOptions(script_run, program, given)


def _execute_with_hint(execute: Callable[[], None], misplaced: Any) -> None:
    from legacy_towers.compat.tf1.user_script import print_message

    process = os.getpid()
    try:
        execute()
    finally:
        if os.getpid() == process:  # not in a process that the script forked
            for line in misplaced.lines():
                print_message(line)


def _examine_training(script_run: Any, misplaced: Any) -> None:
    """Prints the errors that the checks of `doctor` find in each graph that the script begins to train."""
    from legacy_towers.doctor.first_step import errors
    from legacy_towers.run.runtime.training_start import TrainingStart

    def lines(graph: Any, observed: Any) -> List[str]:
        return ([] if misplaced is None else misplaced.lines()) + errors(graph, observed)

    script_run.runtime.training_start = TrainingStart(lines, script_run.runtime.print_line)


def _train_on_towers(script_run: Any, keep: str) -> None:
    """Makes the training steps of the script on towers."""
    from legacy_towers.replication.script import TowerRuns

    runtime = script_run.runtime
    runtime.towers = TowerRuns(runtime.devices.tower_devices, keep, runtime.print_line)


def prepared(arguments: argparse.Namespace, **changed: Any) -> Tuple[Any, Callable[[], None]]:
    """Prepares devices and sessions according to the options; returns (the script's run, a function that runs it).

    Args:
      changed: options to replace in this process, but not in processes that the script starts.
    """
    from legacy_towers.run import start
    from legacy_towers.run.runtime import options

    program = program_of(arguments.program)
    options.refuse_missing_gpu(arguments)
    script_run = program.run(arguments)
    script_run.is_python_2 = arguments.py2
    _until_exit(options.prepare(argparse.Namespace(**dict(vars(arguments), **changed)), script_run))
    return script_run, functools.partial(start.execute, program, script_run)


def _until_exit(context: ContextManager[None]) -> None:
    """Enters a context that exits after the script's threads and atexit functions.

    It does not exit in processes that the script forks: its output would be mixed with theirs.
    """
    stack = contextlib.ExitStack()
    stack.enter_context(context)
    process = os.getpid()

    def close() -> None:
        if os.getpid() == process:
            stack.close()

    atexit.register(close)


def _check(arguments: argparse.Namespace) -> int:
    from legacy_towers.run.check import command
    from legacy_towers.tensorflow_logs import HeldLogs

    if arguments.program:
        raise UserError("--check reads one PATH and runs nothing: remove {!r}".format(arguments.program[0]))
    for name, value in sorted(vars(arguments).items()):
        # `is not False`, since 0 == False and 0 is a given value.
        if name not in _CHECK_ARGUMENTS and value is not None and value is not False:
            raise UserError("--check runs nothing: remove --{}".format(name.replace("_", "-")))
    # No script runs, so that TensorFlow's log is not needed, unless TensorFlow can't be imported.
    logs = HeldLogs()
    logs.start()
    try:
        return command.run(arguments.check, arguments.json)
    except UserError:
        raise
    except Exception:
        logs.show()
        raise
    finally:
        logs.end()


def _join_checked_module(given: List[str]) -> None:
    """Joins `--check -m MODULE` into one argument: argparse would parse three."""
    if "--check" not in given:
        return
    at = given.index("--check")
    words = given[at + 1 : at + 3]
    if words and words[0].startswith("-m"):
        count = 2 if words[0] == "-m" else 1
        given[at : at + 1 + count] = ["--check=" + "".join(words[:count])]


def take_program(parser: Parser, given: List[str]) -> None:
    """Removes the script and its arguments from `given` and sets them as the default of `program`.

    argparse would remove a `--` from them, and parse options that the command has too.
    """
    start = _start_of_program(parser, given)
    parser.set_defaults(program=given[start:])
    del given[start:]


def program_of(words: List[str]) -> Any:
    """Returns the program that `words` name, a script or `-m` and a module, with its arguments.

    Raises:
      UserError: `words` name no script or module, or it does not exist.
    """
    from legacy_towers.run import start

    if not words:
        raise UserError("no script is given: pass SCRIPT [ARGUMENTS], or -m MODULE [ARGUMENTS]")
    if not words[0].startswith("-m"):
        return start.script(words[0], words[1:])
    # As python: `-m name` or `-mname`.
    words = ([words[0][2:]] if words[0] != "-m" else []) + words[1:]
    if not words:
        raise UserError("-m needs the name of a module")
    return start.module(words[0], words[1:])


def _start_of_program(parser: Parser, given: List[str]) -> int:
    """Returns the index of SCRIPT or -m in `given`, or its length without either; removes a `--` before it."""
    index = 0
    while index < len(given):
        word = given[index]
        if not word.startswith("-") or word == "-" or word.startswith("-m"):
            break
        if word == "--":  # the end of our options
            del given[index]
            break
        action = parser._option_string_actions.get(word)
        takes_value = action is not None and action.nargs is None and "=" not in word
        index += 2 if takes_value else 1
    return min(index, len(given))
