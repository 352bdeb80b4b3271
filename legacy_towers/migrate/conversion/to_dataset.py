"""The dataset of what old code reads from queues, for new code."""
from typing import Any, List, Optional

from legacy_towers.compat import tf
from legacy_towers.compat.versions.data import with_parallel_operations
from legacy_towers.compat.versions.tracebacks import user_line
from legacy_towers.errors import ArgumentError
from legacy_towers.migrate.conversion.checks import check_part, check_root
from legacy_towers.migrate.conversion.cut import Cut, build, cut
from legacy_towers.migrate.conversion.datasets import DatasetBuilder
from legacy_towers.migrate.conversion.flows import Flow
from legacy_towers.migrate.conversion.operations import is_source, store_of
from legacy_towers.migrate.conversion.plans import Refused
from legacy_towers.migrate.conversion.queue_graph import QueueGraph
from legacy_towers.migrate.conversion.retired import is_retired, retire
from legacy_towers.migrate.conversion.roots import Root, find_roots, stores_of
from legacy_towers.migrate.conversion.sources import outputs_of
from legacy_towers.tensor_types import Dataset, Operation, Tensor


def to_dataset(tensors: Any, seed: Optional[int] = None, epochs: Optional[int] = None) -> Dataset:
    """Returns a tf.data.Dataset whose elements are the values that `tensors` have in one session run after the other.

    Old code builds its queues, and everything after it is new:

        images, labels = old_code.inputs()      # string_input_producer, a reader, ..., shuffle_batch
        dataset = lt.migrate.to_dataset({"image": images, "label": labels}, seed=1)
        inputs = lt.inputs.from_dataset(dataset)

    The operations between the queue and the tensors are part of the dataset. It has no queue runner: those of the
    queues leave the collection QUEUE_RUNNERS, and nothing can be dequeued any more.

    Args:
      tensors: a structure of tensors that are computed from what is dequeued, of any shapes and dtypes, built
        in the default graph, which no session has run yet. The elements of the dataset have the same structure.
      seed: of shuffles and random operations that have no seed of their own, so that each run of the program gets the
        same elements in the same order; None leaves them to chance.
      epochs: how often a producer without a limit gives its elements; None: for ever, as its queue does.

    Raises:
      ArgumentError: the tensors are not read from a queue, the queue can't be converted, or others take from it, too.
    """
    leaves = tf.nest.flatten(tensors, expand_composites=True)
    if not leaves or not all(tf.is_tensor(each) for each in leaves):
        raise ArgumentError("tensors must be a structure of tensors that are read from queues, got {!r}".format(
            tensors
        ))
    graph = tf.get_default_graph()
    foreign = [each.name for each in leaves if each.graph is not graph]
    if foreign:
        raise ArgumentError("{!r} is not in the default graph: call to_dataset within the graph that has the "
                            "queues".format(foreign[0]))
    part = cut(leaves, is_source)
    if not part.sources:
        raise ArgumentError("{!r} does not depend on a queue".format(leaves[0].name))
    for source in part.sources:
        if is_retired(store_of(source)):
            raise ArgumentError("{!r} is converted to tf.data already: call to_dataset once, before convert(), and "
                                "keep its dataset".format(store_of(source).name))
    queues = QueueGraph(graph)
    try:
        with tf.control_dependencies(None), tf.device("/cpu:0"), tf.name_scope("queues_to_dataset"):
            return _Taken(queues, part, seed, epochs).dataset(tensors)
    except Refused as refused:
        line = user_line(refused.operation)
        raise ArgumentError("{!r} can't be read by tf.data: {} ({!r}{})".format(
            leaves[0].name, refused.reason, refused.operation.name, ", " + line if line else ""
        )) from None


class _Taken:
    """What a part of a graph takes from its queues."""

    def __init__(self, queues: QueueGraph, part: Cut, seed: Optional[int], epochs: Optional[int]) -> None:
        self._queues = queues
        self._part = part
        self._seed = seed
        self._roots = [root for root in find_roots(queues) if not root.is_preview]
        self._builder = DatasetBuilder(queues, [read for root in self._roots for read in root.reads], epochs, seed)

    def dataset(self, tensors: Any) -> Dataset:
        """Returns the dataset of `tensors`, and takes the queues out of use."""
        check_part(self._part)
        for source in self._part.sources:
            self._check_alone(source)
        for root in self._used():
            check_root(root, self._queues)
        flows = [self._builder.flow_of(source) for source in self._part.sources]
        for flow, source in zip(flows, self._part.sources):
            if flow.filled:
                raise Refused("Python code fills {!r}, and a dataset alone does not end with its session".format(
                    flow.filled[0].name), source)
            if flow.initializers:
                raise Refused("several consumers share the elements of a queue that it reads", source)
        flow = flows[0] if len(flows) == 1 else Flow.of_several(
            flows, tf.data.Dataset.zip(tuple(each.dataset for each in flows)), "zip({})"
        )
        dataset = self._mapped(flow.dataset, tensors)
        retire(self._queues, set().union(*(stores_of(root, self._queues) for root in self._used())), {})
        return with_parallel_operations(dataset)

    def _mapped(self, dataset: Dataset, tensors: Any) -> Dataset:
        part = self._part
        given: List[Tensor] = sum((outputs_of(source, True) for source in part.sources), [])
        drawn = part.unseeded if self._seed is not None else []
        seeds = {each.name: self._builder.seeds_of(each.name) for each in drawn}

        def computed(*values: Any) -> Any:
            built = build(part, dict(zip(given, tf.nest.flatten(values))), seeds)
            return tf.nest.pack_sequence_as(tensors, built, expand_composites=True)

        function = tf.autograph.experimental.do_not_convert(computed)
        return dataset.map_with_legacy_function(function) if part.has_control_flow else dataset.map(function)

    def _used(self) -> List[Root]:
        return [root for root in self._roots if any(each in root.reads for each in self._part.sources)]

    def _check_alone(self, source: Operation) -> None:
        """Raises `Refused` if the model takes from the queue of a source by another operation, too."""
        for root in self._used():
            for read in root.reads:
                if read is not source and store_of(read) is store_of(source):
                    raise Refused("{!r} dequeues from the same queue as {!r}: dequeue once, and let an input "
                                  "pipeline share the batches".format(read.name, source.name), read)
