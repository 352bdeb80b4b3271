"""Formats findings as text and as JSON."""
import json
import os
from typing import List, Optional

from legacy_towers.doctor.examine import Finding
from legacy_towers.doctor.registry import ERROR, Check
from legacy_towers.doctor.subject import Evidence
from legacy_towers.text.names import counted


def as_text(findings: List[Finding], subject: str) -> str:
    """Formats the findings, one paragraph each, and a summary line.

    Args:
      findings: the findings.
      subject: what was examined: "1 graph, 30 session runs".
    """
    paragraphs = []
    for check, evidence in findings:
        lines = [shown_line(evidence.line) or "(the line is unknown)"]
        lines.append("  {} {} {}: {}".format(check.severity, check.code, check.name, _sentence(evidence)))
        lines.append("  " + evidence.remedy)
        paragraphs.append("\n".join(lines))
    errors = sum(each.check.severity == ERROR for each in findings)
    summary = "{}, {} in {}".format(
        counted(errors, "error"), counted(len(findings) - errors, "warning"), subject
    )
    if findings:
        summary += "; `legacy-towers doctor --explain {}` explains a check".format(findings[0].check.code)
    return "\n\n".join(paragraphs + [summary])


def one_line(check: Check, evidence: Evidence) -> str:
    """Formats what a check has found as one line."""
    where = [shown_line(evidence.line)] if evidence.line else []
    return "{} {} {}: {}; {} (`legacy-towers doctor --explain {}`)".format(
        check.severity, check.code, check.name, ": ".join(where + [_sentence(evidence)]), evidence.remedy, check.code)


def _sentence(evidence: Evidence) -> str:
    """Returns the message with its operation: "q: its capacity is 4", and "q dequeues ..." for "it dequeues ..."."""
    if not evidence.operation:
        return evidence.message
    if evidence.message.startswith("it "):
        return evidence.operation + evidence.message[len("it"):]
    return "{}: {}".format(evidence.operation, evidence.message)


def as_json(findings: List[Finding], subject: str) -> str:
    """Formats the findings as one JSON object."""
    rows = [
        {
            "code": check.code, "name": check.name, "severity": check.severity, "operation": evidence.operation,
            "line": shown_line(evidence.line), "message": evidence.message, "remedy": evidence.remedy,
        }
        for check, evidence in findings
    ]
    return json.dumps({"examined": subject, "findings": rows}, indent=2)


def has_errors(findings: List[Finding]) -> bool:
    """Returns whether a finding is an error."""
    return any(each.check.severity == ERROR for each in findings)


def counted_subject(graphs: int, runs: int, steps: Optional[int] = None) -> str:
    """Returns "1 graph, 30 session runs (27 steps)".

    Args:
      graphs: the number of graphs.
      runs: the number of session runs.
      steps: how many of them `--steps` counts; None if that is not known.
    """
    of_steps = "" if steps is None or steps >= runs else " ({})".format(counted(steps, "step"))
    return "{}, {}{}".format(counted(graphs, "graph"), counted(runs, "session run"), of_steps)


def graph_of(path: str) -> str:
    """Returns what was examined for a MetaGraph."""
    return "the graph of {}, which was not run".format(path)


def shown_line(line: str) -> str:
    """Returns a line of the script, with its path relative to the working directory if it is below that."""
    below = os.path.join(os.getcwd(), "")
    return line[len(below):] if line.startswith(below) else line
