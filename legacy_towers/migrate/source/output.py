"""Formats an audit as text and as JSON, and the explanation of a rule."""
import json
from typing import Any, Dict, List, Sequence, Tuple

from legacy_towers.migrate.source.audit import Audit, Finding, by_pipelines, files_of
from legacy_towers.migrate.source.files import SourceFile
from legacy_towers.migrate.source.rules.registry import (
    SAME_OUTPUT,
    SAME_SEQUENCE,
    SAME_SET,
    Example,
    Rule,
    of_name,
    written,
)
from legacy_towers.migrate.source.values import Site
from legacy_towers.text.names import counted, listed, quoted

_NOTEBOOK = "it is a notebook with names of queues; `jupyter nbconvert --to script` makes a .py file of it"
# The end of what becomes of a construct that is never rewritten.
_BY_HAND = ": written by hand"
_LIMITED = "not fully known is what is called in {}: some calls may not be connected to their pipeline, or be missing"


def as_text(audit: Audit) -> str:
    """Formats an audit: the findings of each pipeline, one per line, what was not read, and a summary line."""
    paragraphs = [_group(audit, numbers, findings) for numbers, findings in by_pipelines(audit.findings)]
    others = ["{}:{}: {} prevents the rewriting of a pipeline: {}".format(site.path, site.line, site.name, reason)
              for site, reason in audit.others]
    others += unread_lines(audit.unread, audit.notebooks)
    if audit.limited:
        others.append(_LIMITED.format(quoted(audit.limited, most=3)))
    if others:
        paragraphs.append("\n".join(others))
    return "\n\n".join(paragraphs + [_summary(audit)])


def as_json(audit: Audit) -> str:
    """Formats an audit as one JSON object."""
    found: Dict[str, Any] = {
        "files": audit.files,
        "pipelines": audit.pipelines,
        "rewritten": None if audit.rewritten is None else sorted(audit.rewritten),
        "findings": [_row(each) for each in audit.findings],
        "others": [
            {"path": site.path, "line": site.line, "name": site.name, "reason": reason} for site, reason in audit.others
        ],
        "unread": unread_rows(audit.unread),
        "notebooks": audit.notebooks,
        "not_fully_known": audit.limited,
    }
    return json.dumps(found, indent=1)


def unread_lines(unread: Sequence[SourceFile], notebooks: Sequence[str]) -> List[str]:
    """Formats files and notebooks that were not read, with the reason: one per line."""
    lines = ["{}:{}: not read: {}".format(file.path, *_problem(file)) for file in unread]
    return lines + ["{}: not read: {}".format(path, _NOTEBOOK) for path in notebooks]


def unread_rows(unread: Sequence[SourceFile]) -> List[Dict[str, Any]]:
    """Returns files that were not read as dicts for JSON."""
    return [{"path": file.path, "line": _problem(file)[0], "reason": _problem(file)[1]} for file in unread]


def left_line(site: Site, reason: str) -> str:
    """Formats a call that prevents the rewriting as the audit does: place, code, name and reason."""
    return "{}: {}".format(_place(site), reason)


def left_row(site: Site, reason: str, line: int, path: str) -> Dict[str, Any]:
    """Returns such a call as a dict for JSON; `line` and `path` are those of what prevents it, 0 and "": the call's."""
    return {
        "code": of_name(site.name).code, "name": site.name, "path": site.path, "line": site.line,
        "column": site.column, "reason": reason, "reason_line": line or site.line,
        "reason_path": path or site.path,
    }


def explanation(rule: Rule) -> str:
    """Formats the explanation of a rule for a terminal."""
    parts = ["{} {}".format(rule.code, rule.title), "becomes {}".format(rule.becomes), rule.explanation.strip(),
             "When it stays\n\n" + rule.limits.strip()]
    names = [written(name) for name in rule.names[1:]]
    if names:
        parts.insert(1, "also {}".format(listed(names)))
    return "\n\n".join(parts + ["Before\n\n" + _indented(rule.example.before), "After\n\n" + _indented(
        rule.example.after), compared(rule.example)])


def compared(example: Example) -> str:
    """Returns a sentence on what the code before and after an example have in common, as tests check it."""
    if example.same not in (SAME_SEQUENCE, SAME_SET, SAME_OUTPUT):
        return "What they give is not compared: {}.".format(example.same)
    return "Both give {}.".format(example.same)


def _group(audit: Audit, numbers: Tuple[int, ...], findings: List[Finding]) -> str:
    if len(numbers) > 1:
        heading = "starts and stops the queues of the pipelines {}".format(listed(str(each) for each in numbers))
    elif numbers:
        heading = "pipeline {}{}".format(numbers[0], _outcome(audit, numbers[0]))
    else:
        heading = "starts and stops queues that are not made in these files"
    return "\n".join([heading] + ["  " + _line(audit, each) for each in findings])


def _outcome(audit: Audit, number: int) -> str:
    """Returns whether a pipeline can be rewritten, as far as it is known."""
    if audit.rewritten is None:
        return ""
    if number in audit.rewritten:
        return ": can be rewritten"
    has_reason = any(each.reason for each in audit.findings if number in each.pipelines)
    return ": stays" if has_reason or audit.others else ": stays, because of what is left in its files"


def _line(audit: Audit, finding: Finding) -> str:
    line = _place(finding.site)
    if finding.reason:
        becomes = finding.rule.becomes
        becomes = becomes[: -len(_BY_HAND)] if becomes.endswith(_BY_HAND) else becomes
        return "{} stays: {}; by hand: {}".format(line, finding.reason, becomes)
    stays = audit.rewritten is not None and not (
        finding.pipelines and audit.rewritten.issuperset(finding.pipelines)
    )
    return "{} {} {}".format(line, "would become" if stays else "becomes", finding.rule.becomes)


def _place(site: Site) -> str:
    """Returns where a call is, with the code of its rule and its name."""
    return "{}:{}:{}: {} {}".format(site.path, site.line, site.column, of_name(site.name).code, written(site.name))


def _summary(audit: Audit) -> str:
    files = counted(audit.files, "file")
    if not audit.findings:
        text = "no queues in {}".format(files)
    else:
        text = "{} in {}, in {} of {}".format(
            counted(len(audit.findings), "finding"), counted(audit.pipelines, "pipeline"),
            len(files_of(audit.findings)), files,
        )
    unread = len(audit.unread) + len(audit.notebooks)
    if unread:
        text += "; {} not read".format("1 file is" if unread == 1 else "{} files are".format(unread))
    if audit.pipelines and audit.rewritten is None:
        text += "; `pip install legacy_towers[migrate]` tells which of them can be rewritten"
    elif audit.pipelines:
        text += "; {} can be rewritten".format(counted(len(audit.rewritten or ()), "pipeline"))
    if audit.findings:
        text += "; `legacy-towers migrate --explain {}` explains a rule".format(audit.findings[0].rule.code)
    return text


def _row(finding: Finding) -> Dict[str, Any]:
    site = finding.site
    return {
        "code": finding.rule.code, "name": site.name, "path": site.path, "line": site.line, "column": site.column,
        "function": site.function, "pipelines": list(finding.pipelines), "becomes": finding.rule.becomes,
        "reason": finding.reason,
    }


def _problem(file: Any) -> Tuple[int, str]:
    line, why = file.problem
    return line, why


def _indented(code: str) -> str:
    return "\n".join("    " + line if line else "" for line in code.strip().splitlines())
