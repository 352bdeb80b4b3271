"""Finds the constructs of queues in a project, by rule and by input pipeline, and what each becomes in tf.data."""
import importlib.util
from typing import Dict, FrozenSet, List, NamedTuple, Optional, Sequence, Set, Tuple

from legacy_towers.migrate.source import rules as _registered  # noqa: F401  # registers the rules
from legacy_towers.migrate.source.files import SourceFile, notebooks_with
from legacy_towers.migrate.source.pipelines import Pipelines, find_pipelines
from legacy_towers.migrate.source.project import Project, position, read_project
from legacy_towers.migrate.source.queue_api import NOTEBOOK_NEEDLES
from legacy_towers.migrate.source.rules.registry import Rule, of_name, rules
from legacy_towers.migrate.source.values import Site

# The package that rewriting needs: the extra `migrate`.
_LIBCST = "libcst"


class Finding(NamedTuple):
    """A construct of queues.

    Attributes:
      rule: its rule.
      site: the call.
      pipelines: the numbers of the pipelines that it belongs to; what starts and stops queues can belong to several.
      reason: why it prevents the rewriting of its pipeline, as a clause; "" if it does not, or if that is not known.
    """

    rule: Rule
    site: Site
    pipelines: Tuple[int, ...]
    reason: str = ""


class Audit(NamedTuple):
    """What a project has of queues.

    Attributes:
      findings: the constructs: those of each pipeline in the order in which examples flow, then what starts and stops.
      pipelines: the number of pipelines.
      rewritten: the numbers of the pipelines that can be rewritten; None if libcst is not installed, which tells it.
      others: (call, reason) of what else prevents the rewriting of a pipeline.
      unread: the files that could not be read.
      notebooks: paths of notebooks that have names of queues; they are not read.
      limited: files in which some calls may not be connected to their pipeline.
      files: the number of files that were found.
    """

    findings: List[Finding]
    pipelines: int
    rewritten: Optional[FrozenSet[int]]
    others: List[Tuple[Site, str]]
    unread: List[SourceFile]
    notebooks: List[str]
    limited: List[str]
    files: int

    @property
    def is_left(self) -> bool:
        """Whether queues are left, or files that may have some."""
        return bool(self.findings or self.unread or self.notebooks)


def audit_paths(paths: Sequence[str], select: Sequence[str] = (), ignore: Sequence[str] = ()) -> Audit:
    """Finds the constructs of queues in files and folders.

    Args:
      paths: files and folders.
      select: codes of rules, or beginnings of codes, to report; empty: all.
      ignore: codes of rules, or beginnings of codes, to leave out.

    Raises:
      UserError: a path does not exist or is not a Python file, or a code is that of no rule.
    """
    reported = set(rules(select, ignore))
    project = read_project(paths)
    pipelines = find_pipelines(project)
    findings = _findings(project, pipelines)
    rewritten, left = _rewriting(project, pipelines)
    found = {each.site for each in findings}
    return Audit(
        findings=[
            each._replace(reason=left.get(each.site, "")) for each in findings if each.rule in reported
        ],
        pipelines=len(pipelines.pipelines),
        rewritten=None if rewritten is None else frozenset(rewritten),
        others=[(site, reason) for site, reason in left.items() if site not in found],
        unread=project.unread,
        notebooks=notebooks_with(NOTEBOOK_NEEDLES, project.notebooks),
        limited=sorted(project.knowledge.limited),
        files=project.found,
    )


def _findings(project: Project, found: Pipelines) -> List[Finding]:
    findings: List[Finding] = []
    controls: Dict[Site, List[int]] = {}
    for pipeline in found.pipelines:
        findings += [Finding(of_name(site.name), site, (pipeline.number,)) for site in pipeline.sites]
        for site in pipeline.controls:
            controls.setdefault(site, []).append(pipeline.number)
    others = [site for site in project.sites if site in found.alone and site not in controls]
    # A coordinator may serve other threads; where queues of another project are started, it is taken to serve them.
    files = {site.path for site in others if not of_name(site.name).needs_queues}
    for site in others:
        if site.path in files:
            controls[site] = []
    for site in sorted(controls, key=position):
        findings.append(Finding(of_name(site.name), site, tuple(controls[site])))
    return findings


def _rewriting(project: Project, pipelines: Pipelines) -> Tuple[Optional[Set[int]], Dict[Site, str]]:
    """Returns the numbers of the pipelines that can be rewritten, and the reason of each call that prevents it."""
    if importlib.util.find_spec(_LIBCST) is None:
        return None, {}
    # Imported late: it needs libcst.
    from legacy_towers.migrate.source.rewrite.plan import plan_rewrite

    rewriting = plan_rewrite(project, pipelines)
    return {each.number for each in rewriting.rewritten}, {
        each.site: each.whole_reason for each in rewriting.left
    }


def by_pipelines(findings: Sequence[Finding]) -> List[Tuple[Tuple[int, ...], List[Finding]]]:
    """Returns (numbers of pipelines, findings of these): each pipeline, with what starts and stops only that one."""
    groups: Dict[Tuple[int, ...], List[Finding]] = {}
    for each in findings:
        groups.setdefault(each.pipelines, []).append(each)
    return sorted(groups.items(), key=lambda group: (not group[0], len(group[0]) > 1, group[0]))


def files_of(findings: Sequence[Finding]) -> Set[str]:
    """Returns the paths of the files that findings are in."""
    return {each.site.path for each in findings}
