"""slim's prefetch_queue as Dataset.prefetch: an iterator in its place gives each dequeue another batch."""
from typing import List

from legacy_towers.migrate.source.pipelines import Pipeline
from legacy_towers.migrate.source.project import Project
from legacy_towers.migrate.source.rewrite.scope import Scope
from legacy_towers.migrate.source.rewrite.shapes.producers import Given, refuse_shared
from legacy_towers.migrate.source.values import Site

NAME = "tf.contrib.slim.prefetch_queue"
PARAMETERS = ("tensors", "capacity", "num_threads", "dynamic_pad", "shared_name", "name")
# Batches that the queue has room for, where the script does not say.
_CAPACITY = "8"
_DEQUEUE = "tf.QueueBase.dequeue"


def lines_of(given: Given, scope: Scope, dataset: str, prefetches: bool) -> List[str]:
    """Returns the statements that prefetch a dataset of batches.

    Args:
      given: parameter -> expression.
      scope: where the statements stand.
      dataset: the name of the variable.
      prefetches: whether batches are made while others are used.

    Raises:
      Cant: no dataset is the same.
    """
    refuse_shared(given)
    if not prefetches:
        return []
    capacity = scope.code(given["capacity"]) if "capacity" in given else _CAPACITY
    return ["{0} = {0}.prefetch({1})".format(dataset, capacity)]


def dequeues_of(project: Project, pipeline: Pipeline) -> List[Site]:
    """Returns the calls that take from the prefetch queue of a pipeline."""
    return [
        site for site in pipeline.sites
        if site.name == _DEQUEUE and any(each.name == NAME for each in project.sources(site))
    ]
