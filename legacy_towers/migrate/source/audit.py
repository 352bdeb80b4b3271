"""Finds the constructs of queues in a project, by rule and by input pipeline, and what each becomes in tf.data."""
from typing import Dict, List, NamedTuple, Sequence, Set, Tuple

from legacy_towers.migrate.source import rules as _registered  # noqa: F401  # registers the rules
from legacy_towers.migrate.source.files import SourceFile, notebooks_with
from legacy_towers.migrate.source.pipelines import find_pipelines
from legacy_towers.migrate.source.project import Project, position, read_project
from legacy_towers.migrate.source.queue_api import NOTEBOOK_NEEDLES
from legacy_towers.migrate.source.rules.registry import Rule, of_name, rules
from legacy_towers.migrate.source.values import Site


class Finding(NamedTuple):
    """A construct of queues.

    Attributes:
      rule: its rule.
      site: the call.
      pipelines: the numbers of the pipelines that it belongs to; what starts and stops queues can belong to several.
    """

    rule: Rule
    site: Site
    pipelines: Tuple[int, ...]


class Audit(NamedTuple):
    """What a project has of queues.

    Attributes:
      findings: the constructs: those of each pipeline in the order in which examples flow, then what starts and stops.
      pipelines: the number of pipelines.
      unread: the files that could not be read.
      notebooks: paths of notebooks that have names of queues; they are not read.
      limited: files in which some calls may not be connected to their pipeline.
      files: the number of files that were found.
    """

    findings: List[Finding]
    pipelines: int
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
    pipelines, findings = _findings(project)
    return Audit(
        findings=[each for each in findings if each.rule in reported],
        pipelines=pipelines,
        unread=project.unread,
        notebooks=notebooks_with(NOTEBOOK_NEEDLES, project.notebooks),
        limited=sorted(project.knowledge.limited),
        files=project.found,
    )


def _findings(project: Project) -> Tuple[int, List[Finding]]:
    """Returns the number of pipelines, and all findings."""
    found = find_pipelines(project)
    findings: List[Finding] = []
    controls: Dict[Site, List[int]] = {}
    number = 0
    for pipeline in found.pipelines:
        # A description of files without what reads them has no queue.
        if all(of_name(site.name).needs_queues for site in pipeline.sites):
            continue
        number += 1
        findings += [Finding(of_name(site.name), site, (number,)) for site in pipeline.sites]
        for site in pipeline.controls:
            controls.setdefault(site, []).append(number)
    alone = [site for site in project.sites if site in found.alone and site not in controls]
    # A coordinator may serve other threads; where queues of another project are started, it is taken to serve them.
    files = {site.path for site in alone if not of_name(site.name).needs_queues}
    for site in alone:
        if site.path in files:
            controls[site] = []
    for site in sorted(controls, key=position):
        findings.append(Finding(of_name(site.name), site, tuple(controls[site])))
    return number, findings


def by_pipelines(findings: Sequence[Finding]) -> List[Tuple[Tuple[int, ...], List[Finding]]]:
    """Returns (numbers of pipelines, findings of these): each pipeline, with what starts and stops only that one."""
    groups: Dict[Tuple[int, ...], List[Finding]] = {}
    for each in findings:
        groups.setdefault(each.pipelines, []).append(each)
    return sorted(groups.items(), key=lambda group: (not group[0], len(group[0]) > 1, group[0]))


def files_of(findings: Sequence[Finding]) -> Set[str]:
    """Returns the paths of the files that findings are in."""
    return {each.site.path for each in findings}
