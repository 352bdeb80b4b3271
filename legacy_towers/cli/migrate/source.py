"""Audits the queues of source code."""
import argparse
import sys
from typing import Any, List

from legacy_towers.cli.migrate import rewriting
from legacy_towers.errors import ArgumentError
from legacy_towers.text.files import check_file, write_whole

DONE, LEFT = 0, 1


def add_arguments(group: Any) -> None:
    """Adds the options of the audit to a group of the parser."""
    group.add_argument("--select", type=_codes, default=(), metavar="CODES",
                       help="report only these rules: codes or their beginnings, separated by commas (LT1,LT503)")
    group.add_argument("--ignore", type=_codes, default=(), metavar="CODES", help="leave these rules out")
    group.add_argument("--explain", metavar="CODE",
                       help="print what a rule finds, what it becomes, and when it stays, with an example")
    rewriting.add_arguments(group)


def run(arguments: argparse.Namespace) -> int:
    """Audits or rewrites the files and folders, prints the findings, and returns the exit code."""
    if rewriting.is_wanted(arguments):
        return rewriting.run(arguments)
    from legacy_towers.migrate.source import output
    from legacy_towers.migrate.source.audit import audit_paths

    check_file("--json", arguments.json)
    audit = audit_paths(arguments.paths, arguments.select, arguments.ignore)
    print(output.as_text(audit))
    if arguments.json is not None:
        write_whole(arguments.json, output.as_json(audit) + "\n", "the findings")
    return LEFT if audit.is_left else DONE


def explain(arguments: argparse.Namespace) -> int:
    """Prints the explanation of a rule."""
    from legacy_towers.migrate.source import audit as _registered  # noqa: F401  # registers the rules
    from legacy_towers.migrate.source import output
    from legacy_towers.migrate.source.rules.registry import of_code

    if arguments.paths:
        raise ArgumentError("--explain reads nothing: remove {!r}".format(arguments.paths[0]))
    print(output.explanation(of_code(arguments.explain.upper())), file=sys.stdout)
    return DONE


def _codes(text: str) -> List[str]:
    return [each.strip().upper() for each in text.split(",")]
