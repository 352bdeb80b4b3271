"""Audits the queues of source code."""
import argparse
import os
from typing import Any, List

from legacy_towers.cli.migrate import rewriting
from legacy_towers.errors import ArgumentError
from legacy_towers.text.codes import ALL, listed
from legacy_towers.text.files import check_file, write_whole

DONE, LEFT = 0, 1


def add_arguments(group: Any) -> None:
    """Adds the options of the audit to a group of the parser."""
    group.add_argument("--select", type=_codes, default=(), metavar="CODES",
                       help="report only these rules: codes or their beginnings, separated by commas (LT1,LT503)")
    group.add_argument("--ignore", type=_codes, default=(), metavar="CODES", help="leave these rules out")
    group.add_argument("--explain", metavar="CODE",
                       help="print what a rule finds, what it becomes, and when it stays, with an example; "
                       "all: list the rules")
    rewriting.add_arguments(group)


def run(arguments: argparse.Namespace) -> int:
    """Audits or rewrites the files and folders, prints the findings, and returns the exit code."""
    _check_json(arguments)
    if rewriting.is_wanted(arguments):
        return rewriting.run(arguments)
    from legacy_towers.migrate.source import output
    from legacy_towers.migrate.source.audit import audit_paths

    audit = audit_paths(arguments.paths, arguments.select, arguments.ignore)
    print(output.as_text(audit))
    if arguments.json is not None:
        write_whole(arguments.json, output.as_json(audit) + "\n", "the findings")
    return LEFT if audit.is_left else DONE


def explain(arguments: argparse.Namespace) -> int:
    """Prints the explanation of a rule, or the list of rules."""
    from legacy_towers.migrate.source import audit as _registered  # noqa: F401  # registers the rules
    from legacy_towers.migrate.source import output
    from legacy_towers.migrate.source.rules.registry import of_code, rules

    if arguments.paths:
        raise ArgumentError("--explain reads nothing: remove {!r}".format(arguments.paths[0]))
    if arguments.explain == ALL:
        print(listed((each.code, "{}: {}".format(each.title, each.becomes)) for each in rules()))
    else:
        print(output.explanation(of_code(arguments.explain.upper())))
    return DONE


def _check_json(arguments: argparse.Namespace) -> None:
    """Raises ArgumentError if the file of --json can't be written, or is one of those that are read."""
    check_file("--json", arguments.json)
    if arguments.json is None or not os.path.exists(arguments.json):
        return
    written = os.path.realpath(arguments.json)
    for path in map(os.path.realpath, arguments.paths):
        is_inside = written.startswith(os.path.join(path, "")) and written.endswith((".py", ".ipynb"))
        if written == path or is_inside:
            raise ArgumentError("--json is {!r}, which is one of the files to read: name another file".format(
                arguments.json))


def _codes(text: str) -> List[str]:
    return [each.strip().upper() for each in text.split(",")]
