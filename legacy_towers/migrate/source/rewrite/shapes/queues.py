"""Queues that a script makes and fills by its own queue runner, as shuffle, batch and prefetch."""
from typing import Dict, List, Tuple

from legacy_towers.migrate.source.pipelines import Pipeline
from legacy_towers.migrate.source.project import Project
from legacy_towers.migrate.source.rewrite.scope import Scope, literal
from legacy_towers.migrate.source.rewrite.shapes.producers import Given, refuse_shared
from legacy_towers.migrate.source.values import Site

_SHUFFLED, _PADDED = "tf.RandomShuffleQueue", "tf.PaddingFIFOQueue"
# The parameters of the classes, and of what takes from their queues.
PARAMETERS: Dict[str, Tuple[str, ...]] = {
    "tf.FIFOQueue": ("capacity", "dtypes", "shapes", "names", "shared_name", "name"),
    _PADDED: ("capacity", "dtypes", "shapes", "names", "shared_name", "name"),
    _SHUFFLED: ("capacity", "min_after_dequeue", "dtypes", "shapes", "names", "seed", "shared_name", "name"),
}
ENQUEUE = "tf.QueueBase.enqueue"
RUNNER, ADD = "tf.train.QueueRunner", "tf.train.add_queue_runner"
TAKES: Dict[str, Tuple[str, ...]] = {
    "tf.QueueBase.dequeue": ("name",),
    "tf.QueueBase.dequeue_many": ("n", "name"),
    "tf.QueueBase.dequeue_up_to": ("n", "name"),
}
# What a pipeline with such a queue has, beside what others have.
NAMES = tuple(PARAMETERS) + (
    ENQUEUE, RUNNER, ADD, "tf.QueueBase.dequeue_many", "tf.QueueBase.dequeue_up_to", "tf.QueueBase.close",
    "tf.train.QueueRunner.create_threads",
)


def lines_of(
    name: str, given: Given, take: str, taken: Given, scope: Scope, tf: str, dataset: str,
    prefetches: bool,
) -> List[str]:
    """Returns the statements that do what the queue does to a dataset of what is queued.

    Args:
      name: the name of the queue's class.
      given: parameter of the class -> expression.
      take: the name of the method that takes from the queue.
      taken: parameter of this method -> expression.
      scope: where the statements stand.
      tf: what TensorFlow is called there.
      dataset: the name of the variable.
      prefetches: whether elements are made while others are used.

    Raises:
      Cant: no dataset is the same.
    """
    refuse_shared(given)
    capacity = scope.code(given["capacity"])
    lines = []
    if name == _SHUFFLED:
        has_seed = "seed" in given and literal(given["seed"]) != "None"
        seed = ", seed={}".format(scope.code(given["seed"])) if has_seed else ""
        lines.append("{0} = {0}.shuffle({1}{2})".format(dataset, capacity, seed))
    if "n" in taken:
        rest = "" if take.endswith("_up_to") else ", drop_remainder=True"
        batch = "{0} = {0}.padded_batch({1}, {3}.data.get_output_shapes({0}){2})" if name == _PADDED else (
            "{0} = {0}.batch({1}{2})")
        lines.append(batch.format(dataset, scope.code(taken["n"]), rest, tf))
    if prefetches:
        lines.append("{0} = {0}.prefetch({1})".format(dataset, "1" if "n" in taken or name == _SHUFFLED else capacity))
    return lines


def dequeues_of(project: Project, pipeline: Pipeline) -> List[Site]:
    """Returns the calls that take from queues that the script makes."""
    return [
        site for site in pipeline.sites
        if site.name in TAKES and any(each.name in PARAMETERS for each in project.sources(site))
    ]
