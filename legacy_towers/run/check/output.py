"""Formats the findings as text and as JSON."""
import json
from typing import Any, List

from legacy_towers.compat.tf1.missing import short_name
from legacy_towers.run.check.project import Checked
from legacy_towers.run.python2 import indentation
from legacy_towers.text.names import counted


def as_text(checked: Checked, tensorflow: str) -> str:
    """Formats the findings as text: missing names, places not understood, lines whose nesting depends on the
    width of a tab, supported names, and a summary line.

    Args:
      checked: the findings.
      tensorflow: the version of the installed TensorFlow, "2.21".
    """
    lines = []
    for each in checked.missing:
        lines.append("{}:{}:{}: missing: {}".format(each.path, each.line, each.column, each.status.missing))
    for each in checked.findings:
        if each.status.missing is not None and each.only_if and not each.guarded:
            lines.append("{}:{}:{}: missing, only if {} is given or changed: {}".format(
                each.path, each.line, each.column, each.only_if, each.status.missing))
        if each.status.missing is not None and each.guarded:
            lines.append("{}:{}:{}: missing, but the script handles that: {}".format(
                each.path, each.line, each.column, short_name(each.status.name)))
    for path, place in checked.not_understood:
        lines.append("{}:{}: not understood: {}".format(path, place.line, place.why))
    for file in checked.files:
        lines += indentation.messages(file, [found for path, found in checked.ambiguous_lines if path == file])
    for each in checked.findings:
        if each.status.missing is None:
            lines.append("{}:{}:{}: {} was removed from TensorFlow {}: provided by {}".format(
                each.path, each.line, each.column, short_name(each.status.name), tensorflow, each.status.provided_by))
    lines.append(_summary(checked))
    return "\n".join(lines)


def as_json(checked: Checked, tensorflow: str) -> str:
    """Formats the findings as one JSON object whose keys are the fields of `Checked`, `Finding` and `Status`."""
    found: Any = {
        "tensorflow": tensorflow,
        "files": checked.files,
        "unread": checked.unread,
        "names": [
            {
                "path": each.path, "line": each.line, "column": each.column, "name": each.status.name,
                "provided_by": each.status.provided_by if each.status.missing is None else None,
                "missing": each.status.missing, "guarded": each.guarded, "only_if": each.only_if or None,
            }
            for each in checked.findings
        ],
        "not_understood": [
            {"path": path, "line": place.line, "why": place.why} for path, place in checked.not_understood
        ],
        "ambiguous_lines": [
            {
                "path": path, "first": each.first, "last": each.last, "width": each.width,
                "block": each.block, "other_block": each.other_block,
            }
            for path, each in checked.ambiguous_lines
        ],
    }
    return json.dumps(found, indent=2)


def _summary(checked: Checked) -> str:
    files = counted(len(checked.files) - len(checked.unread), "file") + " read"
    if checked.unread:
        files += ", {} could not be read, so the result is incomplete".format(len(checked.unread))
    supported = sum(each.status.missing is None for each in checked.findings)
    parts: List[str] = []
    if checked.missing:
        parts.append("{} {} missing".format(
            counted(len(checked.missing), "name"), "is" if len(checked.missing) == 1 else "are"
        ))
    only_if = sum(each.status.missing is not None and bool(each.only_if) for each in checked.findings)
    if only_if:
        parts.append("{} {} missing only with other flags".format(
            counted(only_if, "name"), "is" if only_if == 1 else "are"
        ))
    if checked.not_understood:
        parts.append("{} not understood".format(counted(len(checked.not_understood), "place")))
    if not parts:
        parts.append("no name is missing")
    return "{}: {}; {} that TensorFlow removed {} supported".format(
        files, ", ".join(parts), counted(supported, "name"), "is" if supported == 1 else "are")
