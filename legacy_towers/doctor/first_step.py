"""The errors among the checks' findings, one line each, for a script that begins to train."""
import time
from typing import Dict, List

from legacy_towers.doctor import checks as _registered  # noqa: F401  # registers the checks
from legacy_towers.doctor.output import one_line
from legacy_towers.doctor.registry import ERROR, Check, checks
from legacy_towers.doctor.subject import Subject
from legacy_towers.run.runtime.observation import Observed
from legacy_towers.tensor_types import Graph
from legacy_towers.text.messages import first_line

# The most operations of a graph that is examined: it takes 0.4 s (tests/benchmarks/doctor_start.py).
MOST_OPERATIONS = 20000
# Seconds of CPU time after which no further check is begun.
SECONDS = 0.4
# Lines of one check.
LINES = 3


def errors(graph: Graph, observed: Observed, most: int = MOST_OPERATIONS, seconds: float = SECONDS) -> List[str]:
    """Returns a line for each error that the checks find in a graph, which stays as it is.

    Args:
      graph: a graph that is about to be trained for the first time.
      observed: what its sessions fetched until then, the first training step included.
      most: the most operations of a graph to examine.
      seconds: the CPU time after which no further check is begun.
    """
    count = len(graph.get_operations())
    if count > most:
        return ["the graph has {:,} operations: it is not examined for errors, which takes too long from {:,} on; "
                "`legacy-towers doctor` does so, and --no-doctor omits this line".format(count, most)]
    start = time.thread_time()
    lines: List[str] = []
    # Those of towers and gradients come last: they walk the whole graph, the others take a few milliseconds.
    chosen = sorted((each for each in checks() if each.severity == ERROR), key=lambda each: each.code < "LD3")
    with graph.as_default():  # walks look operations up in the default graph
        try:
            subject = Subject(graph, observed)
        except Exception as error:  # of any kind: the script goes on
            return [_failure("the search for errors in the graph", error)]
        for number, check in enumerate(chosen):
            if time.thread_time() - start > seconds:
                text = "{} of {} checks for errors are left out, since the others took {:g} s; `legacy-towers " \
                    "doctor` runs all, and --no-doctor none"
                lines.append(text.format(len(chosen) - number, len(chosen), seconds))
                break
            lines += _lines(check, subject)
    return lines


def _lines(check: Check, subject: Subject) -> List[str]:
    found: Dict[str, str] = {}
    try:
        for evidence in check.function(subject):
            found.setdefault(evidence.line or evidence.operation, one_line(check, evidence))
    except Exception as error:  # of any kind: the script goes on
        return [_failure("the check {} {}".format(check.code, check.name), error)]
    lines = list(found.values())
    if len(lines) > LINES:
        more = "{} more errors {} {}: `legacy-towers doctor` prints all"
        lines[LINES:] = [more.format(len(lines) - LINES, check.code, check.name)]
    return lines


def _failure(what: str, error: Exception) -> str:
    return "{} failed, and the script goes on: {}: {}; please report this error; --no-doctor leaves the checks " \
        "out".format(what, type(error).__name__, first_line(error))
