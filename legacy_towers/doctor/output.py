"""Formats findings as text and as JSON."""
import json
import os
from typing import List

from legacy_towers.doctor.examine import Finding
from legacy_towers.doctor.registry import ERROR, Check
from legacy_towers.doctor.subject import Evidence


def as_text(findings: List[Finding], subject: str) -> str:
    """Formats the findings, one paragraph each, and a summary line.

    Args:
      findings: the findings.
      subject: what was examined: "1 graph, 30 session runs".
    """
    paragraphs = []
    for check, evidence in findings:
        operation = "{}: ".format(evidence.operation) if evidence.operation else ""
        lines = [_shown(evidence.line) or "(the line is unknown)"]
        lines.append("  {} {} {}: {}{}".format(check.severity, check.code, check.name, operation, evidence.message))
        lines.append("  " + evidence.remedy)
        paragraphs.append("\n".join(lines))
    errors = sum(each.check.severity == ERROR for each in findings)
    summary = "{}, {} in {}".format(
        _counted(errors, "error"), _counted(len(findings) - errors, "warning"), subject
    )
    if findings:
        summary += "; `legacy-towers doctor --explain {}` explains a check".format(findings[0].check.code)
    return "\n\n".join(paragraphs + [summary])


def one_line(check: Check, evidence: Evidence) -> str:
    """Formats what a check has found as one line."""
    where = [_shown(evidence.line)] if evidence.line else []
    where += [evidence.operation] if evidence.operation else []
    return "{} {} {}: {}: {}; {} (`legacy-towers doctor --explain {}`)".format(
        check.severity, check.code, check.name, ": ".join(where), evidence.message, evidence.remedy, check.code)


def as_json(findings: List[Finding], subject: str) -> str:
    """Formats the findings as one JSON object."""
    rows = [
        {
            "code": check.code, "name": check.name, "severity": check.severity, "operation": evidence.operation,
            "line": _shown(evidence.line), "message": evidence.message, "remedy": evidence.remedy,
        }
        for check, evidence in findings
    ]
    return json.dumps({"examined": subject, "findings": rows}, indent=2)


def has_errors(findings: List[Finding]) -> bool:
    """Returns whether a finding is an error."""
    return any(each.check.severity == ERROR for each in findings)


def counted_subject(graphs: int, runs: int) -> str:
    """Returns "1 graph, 30 session runs"."""
    return "{}, {}".format(_counted(graphs, "graph"), _counted(runs, "session run"))


def _counted(number: int, noun: str) -> str:
    return "{} {}{}".format(number, noun, "" if number == 1 else "s")


def _shown(line: str) -> str:
    below = os.path.join(os.getcwd(), "")
    return line[len(below):] if line.startswith(below) else line
