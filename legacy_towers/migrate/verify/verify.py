"""Verifies a rewriting by running a command before and after it."""
import os
import shutil
import tempfile
from typing import Callable, Dict, List, Optional, Sequence

from legacy_towers.errors import ArgumentError
from legacy_towers.migrate.proof.values import DIFFERENT, NOT_COMPARED, PROVEN
from legacy_towers.migrate.verify.command import Command
from legacy_towers.migrate.verify.comparisons import Comparisons
from legacy_towers.migrate.verify.runs import Project, Record
from legacy_towers.migrate.verify.verification import Check, Place, Verification
from legacy_towers.text.python_source import is_python_3

# How many seconds one run may take.
TIMEOUT = 600.0
_NO_PLAIN = "TensorFlow 1.15 alone: not run: no Python with it was found; name one by --python PATH"
_PYTHON_2 = "TensorFlow 1.15 alone: not run: {} is written for Python 2"


def _print_nothing(sentence: str) -> None:
    """Is the progress of verify() where nothing is to be printed."""


def verify(
    command: Command, paths: Sequence[str], texts: Dict[str, str], places: Sequence[Place] = (),
    python: Optional[str] = None, timeout: float = TIMEOUT, python_of_2: Optional[str] = None, is_alone: bool = True,
    progress: Callable[[str], None] = _print_nothing,
) -> Verification:
    """Runs a command in copies of its project before and after a rewriting, and compares what its sessions read.

    It runs by `legacy-towers run`, and by a Python with TensorFlow 1.15 if one is given. Once shuffling is off, one
    thread at a time fills each queue, and random operations have fixed seeds: what session runs read and compute is
    compared bit for bit, and so are some epochs of each pipeline, which are read in a copy of the graph. Where fixing
    the order changed something, the command is also run as it is.

    Args:
      command: what is run; the working directory is the current one.
      paths: the files and folders that were rewritten.
      texts: path of a rewritten file -> its text after the rewriting.
      places: the pipelines that were rewritten.
      python: the path of a Python that has TensorFlow 1.15, which is not used if a new text is Python 2; None:
        `legacy-towers run` only.
      timeout: how many seconds one run may take.
      python_of_2: the path of a Python with TensorFlow 2, by which the command is also run after the rewriting, without
        legacy_towers; None: it is not.
      is_alone: whether the command must import each rewritten file and read each of `places`; otherwise it must import
        one of the files.
      progress: called with what is run, before each run.

    Returns:
      A `Verification`.

    Raises:
      ArgumentError: the script of the command does not exist.
    """
    check_script(command)
    directory, script = os.getcwd(), command.program[0]
    roots = [path if os.path.isdir(path) else os.path.dirname(os.path.abspath(path)) for path in paths]
    if not script.startswith("-m"):
        roots.append(os.path.dirname(os.path.abspath(script)))
    checks: List[Check] = []
    notes: List[str] = []
    records: List[Record] = []
    before: List[Optional[Record]] = []
    old = next((path for path, text in sorted(texts.items()) if not is_python_3(text)), None)
    if old is not None:
        python = None
    with tempfile.TemporaryDirectory(prefix="legacy-towers-verify-") as folder:
        project = Project(command, directory, roots, texts, timeout, os.path.realpath(folder))
        for runner in [None] + ([python] if python else []):
            compared = Comparisons(project, runner, places if is_alone else None, progress, checks, notes, records)
            compared.verify()
            before.append(compared.before)
        if python_of_2 is not None and before[0] is not None and all(each.verdict == PROVEN for each in checks):
            Comparisons(project, python_of_2, None, progress, checks, notes, records).verify_after(before[0])
    if python is None:
        notes.append(_NO_PLAIN if old is None else _PYTHON_2.format(os.path.relpath(old)))
    worst = next(
        (each for verdict in (DIFFERENT, NOT_COMPARED) for each in checks if each.verdict == verdict), None
    )
    return Verification(
        command.text, worst.verdict if worst else PROVEN,
        "by {}, {}".format(worst.runner, worst.sentence) if worst else "", tuple(checks), tuple(notes), tuple(records),
    )


def check_script(command: Command) -> None:
    """Raises ArgumentError if the script of a command does not exist."""
    script = command.program[0]
    if not script.startswith("-m") and not os.path.isfile(script):
        if os.sep not in script and not script.endswith(".py") and shutil.which(script) is not None:
            raise ArgumentError("--verify runs a Python script or module, not {!r}: pass SCRIPT [ARGUMENTS] or -m "
                                "MODULE".format(script))
        raise ArgumentError("--verify {!r}: there is no file {!r} in {}".format(command.text, script, os.getcwd()))
