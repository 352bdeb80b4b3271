"""What was found, in words and as JSON."""
import json
from typing import Any, List

from legacy_towers.oldtf.check.project import Checked
from legacy_towers.oldtf.missing import spoken


def as_text(checked: Checked, tensorflow: str) -> str:
    """Returns the lines for a person: what is missing, what could not be told, what is served, and a verdict."""
    lines = []
    for each in checked.missing:
        lines.append("{}:{}:{}: missing: {}".format(each.path, each.line, each.column, each.status.missing))
    for each in checked.findings:
        if each.status.missing is not None and each.guarded:
            lines.append("{}:{}:{}: missing, and the script goes on without: {}".format(
                each.path, each.line, each.column, spoken(each.status.name)))
    for path, place in checked.not_understood:
        lines.append("{}:{}: not understood: {}".format(path, place.line, place.why))
    for each in checked.findings:
        if each.status.missing is None:
            lines.append("{}:{}:{}: {} is gone from TensorFlow {}: served by {}".format(
                each.path, each.line, each.column, spoken(each.status.name), tensorflow, each.status.served_by))
    lines.append(_verdict(checked))
    return "\n".join(lines)


def as_json(checked: Checked, tensorflow: str) -> str:
    """Returns one JSON object; its keys are those of `Checked` and of what it holds."""
    found: Any = {
        "tensorflow": tensorflow,
        "files": checked.files,
        "unread": checked.unread,
        "names": [
            {
                "path": each.path, "line": each.line, "column": each.column, "name": each.status.name,
                "served_by": each.status.served_by if each.status.missing is None else None,
                "missing": each.status.missing, "guarded": each.guarded,
            }
            for each in checked.findings
        ],
        "not_understood": [
            {"path": path, "line": place.line, "why": place.why} for path, place in checked.not_understood
        ],
    }
    return json.dumps(found, indent=2)


def _verdict(checked: Checked) -> str:
    files = _counted(len(checked.files) - len(checked.unread), "file") + " read"
    if checked.unread:
        files += ", {} could not be, so the answer is incomplete".format(len(checked.unread))
    served = sum(each.status.missing is None for each in checked.findings)
    parts: List[str] = []
    if checked.missing:
        parts.append("{} would be missing".format(_counted(len(checked.missing), "name")))
    if checked.not_understood:
        parts.append("{} could not be told".format(_counted(len(checked.not_understood), "place")))
    if not parts:
        parts.append("no name would be missing")
    return "{}: {}; {} that TensorFlow dropped {} served".format(
        files, ", ".join(parts), _counted(served, "name"), "is" if served == 1 else "are")


def _counted(number: int, noun: str) -> str:
    return "{} {}{}".format(number, noun, "" if number == 1 else "s")
