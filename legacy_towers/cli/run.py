"""Runs an old script, unchanged, on the TensorFlow that is installed.

    legacy-towers run [OPTIONS] SCRIPT [ARGUMENTS OF THE SCRIPT]
    legacy-towers run [OPTIONS] -m MODULE [ARGUMENTS OF THE MODULE]

What the script's own files import as tensorflow is TensorFlow 1.x, tf.contrib
included. Libraries keep the real one. Exit code, output and signals are the script's.
Python scripts that it starts by subprocess run alike. `--` ends the options.

    legacy-towers run --check PATH                or  --check -m MODULE

runs nothing: it lists the names of TensorFlow that the script, or the files of a folder, would miss (exit code 1).
"""
import argparse
import atexit
import contextlib
import functools
import os
from typing import Any, Callable, ContextManager, List, Tuple, Union

from legacy_towers.cli.parser import Parser
from legacy_towers.errors import UserError

# What the command line has besides where --check is asked for.
_OF_CHECK = ("command", "check", "json", "program")


def add_arguments(parser: Parser, given: List[str]) -> None:
    from legacy_towers.oldtf.machine import options

    parser.usage = "%(prog)s [OPTIONS] SCRIPT [ARGUMENTS]\n       %(prog)s [OPTIONS] -m MODULE [ARGUMENTS]"
    parser.note = "options of the script come after it"
    check = parser.add_argument_group("without running anything")
    check.add_argument("--check", metavar="PATH", help="list what the script or folder at PATH would miss")
    check.add_argument("--json", action="store_true", help="print what --check finds as one JSON object")
    add_script_arguments(parser)
    options.add_arguments(parser)
    _join_checked_module(given)
    take_program(parser, given)
    if any(word.split("=")[0] == "--check" for word in given):
        parser.note = "--check runs nothing: leave the script's options out"


def add_script_arguments(parser: Parser) -> None:
    """Adds what is said of the script itself, for every command that runs one."""
    parser.add_argument(
        "--py2",
        action="store_true",
        help="take the script and all its own files for Python 2, / of ints included; without it, a file that Python 3 "
        "can't read is",
    )
    parser.add_argument(
        "--generate-data",
        action="store_true",
        help="where the tutorial's reader finds no MNIST, write files of its format from scikit-learn's digits",
    )


def check_working_folder() -> None:
    """Refuses to start in a folder that was removed: what is named from there can't be found.

    Raises:
      UserError: it is gone.
    """
    try:
        os.getcwd()
    except OSError as error:
        raise UserError("the folder that you are in is gone: change to one that is there") from error


def run(arguments: argparse.Namespace) -> Union[int, Callable[[], None]]:
    check_working_folder()
    if arguments.check is not None:
        return _check(arguments)
    if arguments.json:
        raise UserError("--json says how --check prints: name a PATH with --check")
    _, execute = prepared(arguments)
    return execute


def prepared(arguments: argparse.Namespace, **changed: Any) -> Tuple[Any, Callable[[], None]]:
    """Returns (the script's run, what executes it), with its devices and sessions those of the options.

    Args:
      arguments: what the parser returned.
      changed: options that are others for this process, and not for those that the script starts.
    """
    from legacy_towers.oldtf.launch import start
    from legacy_towers.oldtf.machine import options

    program = program_of(arguments.program)
    options.refuse_missing_gpu(arguments)
    script_run = program.run(arguments)
    script_run.is_python_2 = arguments.py2
    _until_exit(options.prepare(argparse.Namespace(**dict(vars(arguments), **changed)), script_run))
    return script_run, functools.partial(start.execute, program, script_run)


def _until_exit(around: ContextManager[None]) -> None:
    """Enters what is `around` the script; it is left at exit, after the script's threads and atexit functions.

    Not in processes that the script forks: what they write would be that of the script.
    """
    entered = contextlib.ExitStack()
    entered.enter_context(around)
    process = os.getpid()

    def leave() -> None:
        if os.getpid() == process:
            entered.close()

    atexit.register(leave)


def _check(arguments: argparse.Namespace) -> int:
    from legacy_towers.oldtf.check import command

    if arguments.program:
        raise UserError("--check reads one PATH and runs nothing: leave {!r} out".format(arguments.program[0]))
    for name, value in sorted(vars(arguments).items()):
        # Not `value in (...)`: 0 is a value that was given.
        if name not in _OF_CHECK and value is not None and value is not False:
            raise UserError("--check runs nothing: leave --{} out".format(name.replace("_", "-")))
    # No script runs, whose TensorFlow's log it would be.
    os.environ.setdefault("TF_CPP_MIN_LOG_LEVEL", "2")
    return command.run(arguments.check, arguments.json)


def _join_checked_module(given: List[str]) -> None:
    """Makes one word of `--check -m MODULE`, which argparse would take for three."""
    if "--check" not in given:
        return
    at = given.index("--check")
    words = given[at + 1 : at + 3]
    if words and words[0].startswith("-m"):
        taken = 2 if words[0] == "-m" else 1
        given[at : at + 1 + taken] = ["--check=" + "".join(words[:taken])]


def take_program(parser: Parser, given: List[str]) -> None:
    """Takes the script and its words out of `given`, and lets them be `program` in what the parser returns.

    They are not for argparse: it would take out a `--`, or an option that is also ours.
    """
    start = _start_of_program(parser, given)
    parser.set_defaults(program=given[start:])
    del given[start:]


def program_of(words: List[str]) -> Any:
    """Returns the program that `words` name, a script or `-m` and a module, with its arguments.

    Raises:
      UserError: there is none.
    """
    from legacy_towers.oldtf.launch import start

    if not words:
        raise UserError("which script? name SCRIPT [ARGUMENTS], or -m MODULE [ARGUMENTS]")
    if not words[0].startswith("-m"):
        return start.script(words[0], words[1:])
    # As python: `-m name` or `-mname`.
    words = ([words[0][2:]] if words[0] != "-m" else []) + words[1:]
    if not words:
        raise UserError("-m needs the name of a module")
    return start.module(words[0], words[1:])


def _start_of_program(parser: Parser, given: List[str]) -> int:
    """Returns the index in `given` of SCRIPT or -m; its length if there is neither. Takes a -- before it out."""
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
