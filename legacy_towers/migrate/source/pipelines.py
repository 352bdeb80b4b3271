"""Which calls of queues belong to one input pipeline, and what starts and ends its queues."""
from typing import Dict, List, NamedTuple, Sequence, Set, Tuple

from legacy_towers.migrate.source import queue_api
from legacy_towers.migrate.source.project import Project, position
from legacy_towers.migrate.source.values import Site

_NOT_IN_PIPELINES = frozenset(
    queue_api.SESSIONS + queue_api.INITIALIZERS + queue_api.FED
    + ("tf.train.start_queue_runners", "tf.contrib.slim.queues.QueueRunners", queue_api.COLLECTION)
)
_CONTROLS = ("tf.train.Coordinator.", "tf.train.Supervisor.")


class Pipeline(NamedTuple):
    """The calls between which examples flow, in this order where the code tells it.

    Attributes:
      number: its number in the project, from 1.
      sites: the calls that read, queue and batch.
      controls: the calls that start, stop and initialize queues in programs that use this pipeline.
    """

    number: int
    sites: List[Site]
    controls: List[Site]


class Pipelines(NamedTuple):
    """All input pipelines of a project.

    Attributes:
      pipelines: the pipelines, by their first call.
      alone: calls that start, stop and initialize queues where no pipeline is found: its file is not part of the
        project.
    """

    pipelines: List[Pipeline]
    alone: List[Site]


def find_pipelines(project: Project) -> Pipelines:
    """Returns the input pipelines of `project`."""
    inside = [site for site in project.sites if not _is_control(site)]
    sources = {site: project.sources(site) for site in inside}
    groups = sorted(_groups(inside, sources), key=lambda group: position(group[0]))
    callees = _callees(project)
    used = {site: _used_by(project, site, callees) for site in project.sites if _is_control(site)}
    controls = [site for site in used if site.name not in queue_api.FED]
    pipelines = []
    for number, group in enumerate(groups, 1):
        places = {(site.path, site.function) for site in group}
        pipelines.append(Pipeline(number, _in_order(group, sources), [
            site for site in controls if places & used[site]
        ]))
    started = {site for pipeline in pipelines for site in pipeline.controls}
    return Pipelines(pipelines, [site for site in controls if site not in started])


def controls_of(project: Project, sites: Sequence[Site], controls: Sequence[Site]) -> List[Site]:
    """Returns those of `controls` that run in a program which has one of `sites`."""
    callees = _callees(project)
    places = {(site.path, site.function) for site in sites}
    return [site for site in controls if places & _used_by(project, site, callees)]


def _is_control(site: Site) -> bool:
    return site.name in _NOT_IN_PIPELINES or site.name.startswith(_CONTROLS)


def _groups(sites: List[Site], sources: Dict[Site, List[Site]]) -> List[List[Site]]:
    # A description of files gives no examples: the first pipeline that reads them has it, and several may.
    described = [site for site in sites if site.name in queue_api.DESCRIPTIONS]
    group_of = {site: [site] for site in sites if site not in described}
    for site in list(group_of):
        for source in sources[site]:
            if source in group_of and group_of[source] is not group_of[site]:
                merged = sorted(group_of[source] + group_of[site], key=position)
                for each in merged:
                    group_of[each] = merged
    groups = list({id(group): group for group in group_of.values()}.values())
    for site in described:
        first = next((group for group in groups if _describes(site, group, sources)), None)
        if first is not None:
            first.append(site)
    return [sorted(group, key=position) for group in groups]


def _describes(site: Site, group: List[Site], sources: Dict[Site, List[Site]]) -> bool:
    """Returns whether a description of files, or one that has it, is read by a group."""
    return any(site in sources[each] for each in group if each not in sources[site])


def _in_order(group: List[Site], sources: Dict[Site, List[Site]]) -> List[Site]:
    """Returns the calls of `group`, each after those whose results it takes."""
    done: Set[Site] = set()
    order: List[Site] = []

    def add(site: Site) -> None:
        if site in done:
            return
        done.add(site)
        for source in sources[site]:
            if source in sources:
                add(source)
        order.append(site)

    for site in group:
        add(site)
    return order


Place = Tuple[str, str]


def _callees(project: Project) -> Dict[Place, Set[Place]]:
    """Returns (path, function) -> the functions that it calls; a module's code has the name ""."""
    found: Dict[Place, Set[Place]] = {}
    for callee, callers in project.knowledge.callers().items():
        for caller in callers:
            found.setdefault(caller, set()).add(callee)
    return found


def _used_by(project: Project, site: Site, callees: Dict[Place, Set[Place]]) -> Set[Place]:
    """Returns the functions that run in the program in which `site` runs: those that its callers call."""
    callers = project.knowledge.callers()
    above: Set[Place] = set()
    waiting = [(site.path, site.function)]
    while waiting:
        place = waiting.pop()
        if place not in above:
            above.add(place)
            waiting += callers.get(place, ())
    below: Set[Place] = set()
    waiting = list(above)
    while waiting:
        place = waiting.pop()
        if place not in below:
            below.add(place)
            waiting += callees.get(place, ())
    return below
