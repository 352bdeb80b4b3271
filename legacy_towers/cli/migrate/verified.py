"""The options --verify and --python: runs a command before and after a rewriting."""
import argparse
import ast
import os
import shlex
import sys
from typing import Dict, List, NamedTuple, Optional, Sequence

from legacy_towers.cli import run as run_command
from legacy_towers.cli.parser import Parser
from legacy_towers.errors import ArgumentError
from legacy_towers.migrate.proof.values import PROVEN
from legacy_towers.migrate.source.pipelines import Pipeline
from legacy_towers.migrate.source.queue_api import READER_CLASSES
from legacy_towers.migrate.source.values import Site
from legacy_towers.migrate.verify import command as commands
from legacy_towers.migrate.verify.command import Command
from legacy_towers.migrate.verify.several import Verifications, verify_commands
from legacy_towers.migrate.verify.verification import Place
from legacy_towers.migrate.verify.verify import TIMEOUT, check_script

_NO_TENSORFLOW_2 = "TensorFlow 2 alone: not run: this Python does not have it"


class Given(NamedTuple):
    """What is run: the commands, the Python with TensorFlow 1.15, and how many seconds a run may take."""

    commands: List[Command]
    python: Optional[str]
    timeout: float


def prepared(arguments: argparse.Namespace) -> Optional[Given]:
    """Returns the commands of --verify and how they are run, or None without --verify.

    Raises:
      ArgumentError: a command or the Python can't be used, or an option of --verify is given without it.
    """
    if not arguments.verify:
        for name in ("python", "timeout"):
            if getattr(arguments, name) is not None:
                raise ArgumentError("--{} is an option of --verify: pass --verify COMMAND too".format(name))
        return None
    if arguments.timeout is not None and arguments.timeout <= 0:
        raise ArgumentError("--timeout must be positive, got {:g}".format(arguments.timeout))
    found = [command_of(each) for each in arguments.verify]
    for command in found:
        check_script(command)
    python = commands.find_python() if arguments.python is None else commands.check_python(arguments.python)
    return Given(found, python, TIMEOUT if arguments.timeout is None else arguments.timeout)


def command_of(text: str) -> Command:
    """Returns the command that a text names.

    Raises:
      ArgumentError: it names no script or module, or has options that can't be used.
    """
    try:
        words = shlex.split(text)
    except ValueError as error:
        raise ArgumentError("--verify {!r}: {}".format(text, error)) from None
    variables, rest, by_run = commands.split(text, words)
    options: List[str] = []
    if by_run:
        parser = Parser(prog="legacy-towers run")
        run_command.add_arguments(parser, rest)  # takes the script and its arguments out of `rest`
        program = parser.get_default("program")
        parser.parse_args(rest)
        options, rest = rest, program
    if not rest or rest == ["-m"]:
        raise ArgumentError("--verify {!r} names no script: pass SCRIPT [ARGUMENTS], or -m MODULE [ARGUMENTS]".format(
            text
        ))
    return Command(text, variables, options, rest)


def run(
    given: Given, paths: Sequence[str], texts: Dict[str, str], places: Sequence[Place],
    is_for_2: bool,
) -> Verifications:
    """Verifies a rewriting and prints what was found.

    Args:
      given: what `prepared` returned.
      paths: the files and folders that were rewritten.
      texts: path of a rewritten file -> its text after the rewriting.
      places: the pipelines that were rewritten.
      is_for_2: whether the new texts have the names of TensorFlow 2, and are to run on it without legacy_towers.
    """
    python_of_2 = commands.find_python_of_2() if is_for_2 else None
    found = verify_commands(
        given.commands, paths, texts, places, given.python, python_of_2, _print_progress, given.timeout)
    if is_for_2 and python_of_2 is None:
        found = found._replace(commands=tuple(
            each._replace(notes=each.notes + (_NO_TENSORFLOW_2,)) for each in found.commands))
    print(found)
    return found


def _print_progress(sentence: str) -> None:
    # Lines, also on a terminal: each run may take minutes, and TensorFlow's log may be between them.
    print("verify: runs {}".format(sentence), file=sys.stderr, flush=True)


def is_proven(found: Verifications) -> bool:
    """Whether a rewriting is proven."""
    return found.verdict == PROVEN


def places_of(pipelines: Sequence[Pipeline]) -> List[Place]:
    """Returns where the source code makes the operations that read from pipelines."""
    return [
        Place("the pipeline of {}:{}".format(os.path.relpath(site.path), site.line),
              [(each.path, each.line, _last_line(each)) for each in pipeline.sites])
        for pipeline in pipelines for site in pipeline.sites[:1]
        # Readers that nothing reads with are removed.
        if any(each.name not in READER_CLASSES for each in pipeline.sites)
    ]


def _last_line(site: Site) -> int:
    lines = [site.line]
    for node in ast.walk(site.node):
        lines.append(getattr(node, "end_lineno", None) or getattr(node, "lineno", None) or 0)
    return max(lines)
