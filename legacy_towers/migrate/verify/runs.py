"""Runs one version of a command in a copy of its project, and reads what was recorded."""
import json
import os
import re
import shutil
import subprocess
import sys
from typing import Any, Dict, List, NamedTuple, Optional, Sequence, Tuple

from legacy_towers.compat.versions import session_recorder
from legacy_towers.migrate.verify.command import Command
from legacy_towers.migrate.verify.tree import Tree
from legacy_towers.text.documented_fields import documented_fields

FIXED, SAME_NUMBERS, PLAIN = "fixed", "same numbers", "plain"
BEFORE, AFTER = "before", "after"
_SHOWN_LINES = 3
_ERROR = re.compile(r"[A-Za-z_][\w.]*(Error|Exception|Exit|Interrupt)\b")
_MOST_CHARACTERS = 400
# What TensorFlow 2 writes before the message and after it.
_HEADING, _NODE = "Graph execution error:", "[[{{node"
RUN = "legacy-towers run"

Read = Dict[str, Any]


class Epochs(NamedTuple):
    """What a pipeline gave in some epochs.

    Attributes:
      batches: for each session run, its reads.
      end: why they are not whole epochs, else "".
      endless: whether the pipeline gives epochs for ever in the program.
    """

    batches: List[List[Read]]
    end: str
    endless: bool

    @property
    def examples(self) -> int:
        return sum(len(read["rows"]) for batch in self.batches for read in batch)


@documented_fields
class Record(NamedTuple):
    """One run of the command.

    Attributes:
      version: "before" or "after" the rewriting.
      runner: what ran it: "legacy-towers run", or the path of a Python.
      tensorflow: the version of TensorFlow; "" if the command did not import it.
      order: "fixed", or "plain": as the program is.
      exit_code: its exit code; None if it took too long.
      error: the end of its output on standard error, if it failed.
      runs: the number of session runs that read examples.
      examples: the number of examples that they read.
      changed: what was changed to fix the order of examples, such as "queues do not shuffle".
      hidden: what was read but could not be recorded.
      files: the files of the project that it imported.
      places: for each pipeline, the lines that made what is read, as (path, line).
      static: for each pipeline, dtypes and static shapes.
      shuffling: for each pipeline, whether one of its queues shuffles.
      shuffled: for each pipeline, whether a queue, an input producer or a dataset shuffles.
      reads: for each session run, what it read.
      computed: for each session run that read, hashes of what it fetched.
      values: the same, as text.
      epochs: number of a pipeline -> some epochs of it.
      kept: the same, with a last, smaller batch.
      single: for each pipeline, whether it gives single examples, which no queue batches.
      is_parsed: whether examples were recorded after their parse, not as they are read.
    """

    version: str
    runner: str
    tensorflow: str
    order: str
    exit_code: Optional[int]
    error: str
    runs: int
    examples: int
    changed: Tuple[str, ...]
    hidden: Tuple[str, ...]
    files: Tuple[str, ...]
    places: List[List[Tuple[str, int]]]
    static: List[Any]
    shuffling: List[bool]
    shuffled: List[bool]
    reads: List[List[Read]]
    computed: List[List[str]]
    values: List[List[str]]
    epochs: Dict[int, Epochs]
    kept: Dict[int, Epochs]
    single: List[bool]
    is_parsed: bool

    def to_json(self) -> Dict[str, Any]:
        """Returns the record, without what was read, as a dict for `json.dump`."""
        names = ("version", "runner", "tensorflow", "order", "exit_code", "error", "runs", "examples")
        found = {name: getattr(self, name) for name in names}
        found.update(
            changed=list(self.changed), hidden=list(self.hidden),
            epochs=[{"batches": len(each.batches), "examples": each.examples, "end": each.end}
                    for _, each in sorted(self.epochs.items())],
        )
        return found


class Project(NamedTuple):
    """Two versions of a project, and the command.

    Attributes:
      command: what is run.
      directory: the working directory of the command.
      roots: the folders that it is copied with.
      texts: path of a rewritten file -> its text after the rewriting.
      timeout: how many seconds one run may take.
      folder: a temporary folder.
    """

    command: Command
    directory: str
    roots: Sequence[str]
    texts: Dict[str, str]
    timeout: float
    folder: str


def run(project: Project, version: str, python: Optional[str], order: str, is_parsed: bool = False) -> Record:
    """Runs the command once.

    Args:
      project: what is run.
      version: BEFORE or AFTER.
      python: the path of a Python with TensorFlow 1.15; None: `legacy-towers run`.
      order: FIXED, SAME_NUMBERS or PLAIN.
      is_parsed: whether examples are recorded after their parse, not as they are read.
    """
    # Each run is in a folder of the same path: what readers give as keys, and what scripts print, has paths in it.
    folder, out = (os.path.join(project.folder, name) for name in ("tree", "record"))
    os.mkdir(folder)
    try:
        roots = [project.directory] + list(project.roots)
        tree = Tree(folder, roots, project.texts if version == AFTER else {})
        code, error = _execute(project, tree, python, [out, order, "parsed" if is_parsed else "read"])
        return _record(_lines_of(out), tree, version, python, order, code, error, is_parsed)
    finally:
        shutil.rmtree(folder)
        if os.path.exists(out):
            os.remove(out)


def _execute(project: Project, tree: Tree, python: Optional[str], recording: List[str]) -> Tuple[Optional[int], str]:
    """Runs the command with the recorder; returns its exit code and the end of its standard error, if it failed."""
    command = project.command
    program = list(command.program)
    if not program[0].startswith("-m"):
        program[0] = tree.path_of(os.path.join(project.directory, program[0]))
    elif program[0] != "-m":
        program[:1] = ["-m", program[0][2:]]
    if python is None:
        kind = ["installed", "legacy_towers", "run"] + command.options + program
    else:
        kind = ["module"] + program[1:] if program[0] == "-m" else ["script"] + program
    variables = dict(os.environ, PYTHONHASHSEED="0", PYTHONDONTWRITEBYTECODE="1")
    variables.pop("TF2_BEHAVIOR", None)  # a process that imports TensorFlow 2 sets it
    variables.update(command.variables)
    if variables.get("PYTHONPATH"):
        paths = variables["PYTHONPATH"].split(os.pathsep)
        variables["PYTHONPATH"] = os.pathsep.join(tree.path_of(each) if each else each for each in paths)
    start = [python or sys.executable, os.path.abspath(session_recorder.__file__)] + recording + kind
    try:
        ended = subprocess.run(
            start, cwd=tree.path_of(project.directory), env=variables, stdin=subprocess.DEVNULL,
            stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, timeout=project.timeout, check=False,
            universal_newlines=True, errors="replace",
        )
    except subprocess.TimeoutExpired:
        return None, "{!r} did not end within {:g} seconds: give it fewer steps, or more time by --timeout " \
                     "SECONDS".format(command.text, project.timeout)
    code = ended.returncode
    return code, _error(ended.stderr) or "exit code {}".format(code) if code else ""


def _error(text: str) -> str:
    """Returns the error that a program ended with: the last line that names one, else its last lines."""
    lines = [line.strip() for line in text.strip().splitlines()]
    named = [number for number, line in enumerate(lines) if _ERROR.match(line)]
    if not named:
        return " / ".join(lines[-_SHOWN_LINES:])
    found, rest = lines[named[-1]], lines[named[-1] + 1:]
    nodes = [number for number, line in enumerate(rest) if line.startswith(_NODE)]
    if found.endswith(_HEADING) and nodes and nodes[0] > 0:
        found = found[: -len(_HEADING)] + rest[nodes[0] - 1]
    return found[:_MOST_CHARACTERS]


def _lines_of(path: str) -> List[Dict[str, Any]]:
    if not os.path.exists(path):
        return []
    with open(path, encoding="utf-8") as lines:
        # A process that was ended may leave half a line.
        return [json.loads(line) for line in lines if line.endswith("\n")]


def _record(
    lines: List[Dict[str, Any]], tree: Tree, version: str, python: Optional[str], order: str, code: Optional[int],
    error: str, is_parsed: bool,
) -> Record:
    def each(name: str) -> List[Any]:
        return [line[name] for line in lines if name in line]

    reads = each("reads")
    changed = each("changed")
    pipelines = sorted((line for line in lines if "pipeline" in line), key=lambda line: line["pipeline"])
    epochs: Tuple[Dict[int, Epochs], Dict[int, Epochs]] = ({}, {})
    for line in lines:
        if "epochs" in line:
            epochs[line["kept"]][line["epochs"]] = Epochs(line["batches"], line["end"], line["endless"])
    hidden = [name for name in changed if name.endswith(session_recorder.NOT_FETCHED)]
    return Record(
        version, python or RUN, (each("tensorflow") or [""])[0], order, code, error, len(reads),
        sum(len(read["rows"]) for found in reads for read in found),
        tuple(sorted(set(changed) - set(hidden))), tuple(hidden),
        tuple(sorted({tree.original_of(path) for found in each("files") for path in found})),
        [[(tree.original_of(path), line) for path, line in found["places"]] for found in pipelines],
        [found["static"] for found in pipelines], [found["shuffling"] for found in pipelines],
        [found["shuffled"] for found in pipelines],
        reads, each("computed"), each("values"), epochs[0], epochs[1],
        [found["single"] for found in pipelines], is_parsed,
    )
