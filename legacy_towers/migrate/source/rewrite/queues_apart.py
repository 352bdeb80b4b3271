"""slim's prefetch_queue as a pipeline of its own, which stays, behind one that is rewritten.

    images, labels = inputs.distorted_inputs()     reads a dataset then: other programs use the function without a queue
    queue = prefetch_queue([images, labels])       stays, with what starts it
    images, labels = queue.dequeue()
"""
from typing import Dict, List, Optional, Set

from legacy_towers.migrate.source.pipelines import Pipeline, Pipelines, controls_of
from legacy_towers.migrate.source.project import Project
from legacy_towers.migrate.source.rewrite.shapes import prefetch, producers, slim_readers
from legacy_towers.migrate.source.values import Site

REASON = "a function that other programs use without the queue makes its batches: it is kept, and the dataset " \
         "fills it; by hand, make the dataset in a function of its own, and call get_next() of one iterator for each " \
         "tower"


def with_queues_apart(project: Project, found: Pipelines, rewritten: Set[int]) -> Optional[Pipelines]:
    """Returns the pipelines, with prefetch queues apart from those that are not in `rewritten`; None without such.

    Only a queue whose file has none of the pipeline's other calls is apart: files are rewritten whole.
    """
    pipelines: List[Pipeline] = []
    apart: Dict[int, List[Site]] = {}
    for pipeline in found.pipelines:
        dequeues = prefetch.dequeues_of(project, pipeline)
        queue = [site for site in pipeline.sites if site.name == prefetch.NAME or site in dequeues]
        rest = [site for site in pipeline.sites if site not in queue]
        paths = {site.path for site in queue}
        has_producer = any(site.name in producers.PARAMETERS or site.name in slim_readers.PARAMETERS for site in rest)
        if pipeline.number not in rewritten and queue and has_producer and not paths & {site.path for site in rest}:
            pipelines.append(pipeline._replace(sites=rest))
            apart[pipeline.number] = queue
        else:
            pipelines.append(pipeline)
    if not apart:
        return None
    last = max(each.number for each in pipelines)
    for number, (own, sites) in enumerate(sorted(apart.items()), last + 1):
        controls = next(each.controls for each in found.pipelines if each.number == own)
        pipelines.append(Pipeline(number, sites, controls_of(project, sites, controls)))
    return found._replace(pipelines=pipelines)
