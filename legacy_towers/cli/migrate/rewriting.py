"""Rewrites the queues of source code: prints the changes, verifies them, writes them."""
import argparse
import difflib
import json
import os
from typing import Any, Dict

from legacy_towers.errors import ArgumentError
from legacy_towers.text.files import write_bytes, write_whole
from legacy_towers.text.names import counted, listed

DONE, LEFT = 0, 1
TARGETS = ("tf.data-1", "tf.data-2")
_CONVERTED = "note: legacy-towers run --queues-to-dataset SCRIPT may convert what is left, when the script runs"
_INSTALL = "rewriting needs libcst: pip install 'legacy_towers[migrate]'"


def add_arguments(group: Any) -> None:
    """Adds the options of the rewriting to a group of the parser."""
    group.add_argument("--diff", action="store_true", help="print how files are rewritten to tf.data; writes nothing")
    group.add_argument("--write", action="store_true", help="rewrite the files")
    group.add_argument(
        "--target", choices=TARGETS,
        help="with --diff or --write: the names in rewritten files; tf.data-1 leaves those of TensorFlow 1 (the "
        "default), tf.data-2 writes those of TensorFlow 2",
    )
    group.add_argument(
        "--verify", metavar="COMMAND", action="append",
        help="run COMMAND before and after the rewriting, in copies of the project, and compare the examples that its "
        "sessions read: 'train.py --steps 10', '-m project.train', or these after `python` or `legacy-towers run`; "
        "with --write, files are written only if they are proven, otherwise the changes are printed; may be given "
        "several times, for programs that use the rewritten files together, such as training and evaluation",
    )
    group.add_argument(
        "--python", metavar="PYTHON",
        help="a Python with TensorFlow 1.15, by which --verify runs COMMAND too (default: this one, or one on the "
        "PATH, if it has it)",
    )
    group.add_argument(
        "--timeout", type=float, metavar="SECONDS",
        help="how many seconds one run of --verify may take (default: 600)",
    )


def is_wanted(arguments: argparse.Namespace) -> bool:
    """Whether one of the options of the rewriting is given."""
    given = (arguments.target, arguments.verify, arguments.python, arguments.timeout)
    return bool(arguments.diff or arguments.write or any(each is not None for each in given))


def run(arguments: argparse.Namespace) -> int:
    """Rewrites the files and folders, prints what was done, and returns the exit code."""
    for name in ("select", "ignore"):
        if getattr(arguments, name):
            raise ArgumentError("--{} is an option of the audit: a pipeline is rewritten whole or left".format(name))
    if arguments.diff and arguments.write:
        raise ArgumentError("pass --diff or --write, not both")
    if arguments.target is not None and not (arguments.diff or arguments.write or arguments.verify is not None):
        raise ArgumentError("--target needs --diff or --write")
    from legacy_towers.cli.migrate import verified  # imports numpy, which the audit does without

    given = verified.prepared(arguments)
    try:
        from legacy_towers.migrate.source.rewrite.plan import plan_rewrite
        from legacy_towers.migrate.source.rewrite.syntax import Source
        from legacy_towers.migrate.source.rewrite.targets import names_of_keras
    except ModuleNotFoundError as error:
        if error.name != "libcst":
            raise
        raise ArgumentError(_INSTALL) from None
    from legacy_towers.migrate.source import output
    from legacy_towers.migrate.source.files import notebooks_with
    from legacy_towers.migrate.source.mentions import lines_about_queues
    from legacy_towers.migrate.source.pipelines import find_pipelines
    from legacy_towers.migrate.source.project import read_project
    from legacy_towers.migrate.source.queue_api import NOTEBOOK_NEEDLES

    project = read_project(arguments.paths)
    pipelines = find_pipelines(project)
    rewriting = plan_rewrite(project, pipelines, arguments.target or TARGETS[0])
    notebooks = notebooks_with(NOTEBOOK_NEEDLES, project.notebooks)
    unread = output.unread_lines(project.unread, notebooks)
    if not arguments.write:
        for path, text in sorted(rewriting.texts.items()):
            print(_diff(path, text), end="")
    for left in rewriting.left:
        print("left: {}".format(left if left.name else output.left_line(left.site, left.whole_reason)))
    if len(rewriting.rewritten) < len(pipelines.pipelines):
        print(_CONVERTED)
    for line in unread:
        print(line)
    for path, text in sorted(rewriting.texts.items()):
        lines = lines_about_queues(text)
        if lines:
            print("note: comments and docstrings of {} still mention queues, after the rewriting in line{} {}".format(
                path, "" if len(lines) == 1 else "s", listed(str(each) for each in lines)))
    if arguments.target == TARGETS[1]:
        for path, text in sorted(rewriting.texts.items()):
            names = names_of_keras(Source(path, text.encode("utf-8")))
            if names:
                print("note: {} uses {}: on TensorFlow 2.16 and later it needs tf_keras and TF_USE_LEGACY_KERAS=1"
                      .format(path, listed(names)))
    texts = {os.path.abspath(path): text for path, text in rewriting.texts.items()}
    verification = None
    if given is not None and texts:
        verification = verified.run(
            given, arguments.paths, texts, verified.places_of(rewriting.rewritten), arguments.target == TARGETS[1]
        )
    is_proven = verification is None or verified.is_proven(verification)
    is_written = arguments.write and is_proven and bool(texts)
    if is_written:
        for path, text in sorted(rewriting.texts.items()):
            write_bytes(path, text.encode("utf-8"), "the rewritten file")
    stay = max(0, len(pipelines.pipelines) - len(rewriting.rewritten))
    print(_end(rewriting, stay, len(unread), arguments.write, is_proven))
    if arguments.json is not None:
        found: Dict[str, Any] = {
            "files": sorted(rewriting.texts), "pipelines": len(rewriting.rewritten),
            "left": [output.left_row(each.site, each.reason, each.line, each.path) for each in rewriting.left],
            "unread": output.unread_rows(project.unread),
            "notebooks": notebooks,
            "written": is_written,
            "verification": None if verification is None else verification.to_json(),
        }
        write_whole(arguments.json, json.dumps(found, indent=1) + "\n", "the rewriting")
    return DONE if is_proven and not rewriting.left and not unread else LEFT


def _diff(path: str, text: str) -> str:
    with open(path, encoding="utf-8", newline="") as file:
        before = file.read()
    lines = difflib.unified_diff(
        before.splitlines(True), text.splitlines(True), path, path + " (tf.data)",
    )
    return "".join(line if line.endswith("\n") else line + "\n\\ No newline at end of file\n" for line in lines)


def _end(rewriting: Any, stay: int, unread: int, is_to_write: bool, is_proven: bool) -> str:
    """Returns the last line: what was written or can be, and what is left.

    Args:
      rewriting: the rewriting.
      stay: the number of pipelines that stay.
      unread: the number of files that were not read.
      is_to_write: whether files were to be written.
      is_proven: whether no command was run that gives a reason not to write them.
    """
    count, files = len(rewriting.rewritten), len(rewriting.texts)
    many = counted(count, "pipeline")
    where = "{} in {}".format(many, counted(files, "file"))
    if not files:
        parts = ["{} can be rewritten".format(many)]
    elif not is_proven:
        parts = ["nothing is written: the rewriting of {} is not proven".format(where)]
    elif is_to_write:
        parts = ["{} rewritten in {}; written".format(many, counted(files, "file"))]
    else:
        parts = ["{} can be rewritten; pass --write to write {}".format(where, "it" if files == 1 else "them")]
    if rewriting.left:
        calls = counted(len(rewriting.left), "call")
        if stay:
            parts.append("{} {}, because of {}".format(stay, "stays" if stay == 1 else "stay", calls))
        else:
            parts.append("{} {} left".format(calls, "is" if len(rewriting.left) == 1 else "are"))
    if unread:
        parts.append("{} {} not read".format(counted(unread, "file"), "is" if unread == 1 else "are"))
    if is_to_write and not files:
        parts.append("nothing is written")
    return "; ".join(parts)
