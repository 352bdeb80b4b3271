"""Runs the checks on graphs."""
from typing import Any, Dict, Iterable, List, NamedTuple, Optional, Sequence, Tuple

from legacy_towers.doctor import checks as _registered  # noqa: F401  # registers the checks
from legacy_towers.doctor.registry import Check, checks
from legacy_towers.doctor.subject import Evidence, Subject
from legacy_towers.run.runtime.observation import Observed
from legacy_towers.tensor_types import Graph


class Finding(NamedTuple):
    """What a check has found.

    Attributes:
      check: the check.
      evidence: what it has found, and where.
    """

    check: Check
    evidence: Evidence


def examine(
    graphs: Iterable[Tuple[Graph, Optional[Observed]]], select: Sequence[str] = (), ignore: Sequence[str] = ()
) -> List[Finding]:
    """Returns what the checks find in graphs, which stay as they are.

    The same line of a script is reported once for each check, even if several graphs have operations of it.

    Args:
      graphs: (graph, what its sessions did; None for a graph that was not run).
      select, ignore: codes or beginnings of codes, see `registry.checks`.

    Raises:
      UserError: a code of `select` or `ignore` is that of no check.
    """
    return examine_subjects((Subject(graph, observed) for graph, observed in graphs), select, ignore)


def examine_subjects(
    subjects: Iterable[Subject], select: Sequence[str] = (), ignore: Sequence[str] = ()
) -> List[Finding]:
    """Returns what the checks find in subjects, see `examine`."""
    chosen = checks(select, ignore)
    found: Dict[Any, Finding] = {}
    for subject in subjects:
        with subject.graph.as_default():  # walks look operations up in the default graph
            for check in chosen:
                for evidence in check.function(subject):
                    key = check.code, evidence.line or evidence.operation
                    found.setdefault(key, Finding(check, evidence))
    return sorted(found.values(), key=lambda each: (each.check.severity, each.check.code))
