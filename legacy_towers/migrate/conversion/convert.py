"""Converts the queues of a graph to tf.data, in the graph itself."""
from typing import Any, Dict, List, NamedTuple, Optional, Tuple

from legacy_towers.compat import tf
from legacy_towers.compat.versions import graph as graph_changes
from legacy_towers.compat.versions.data import get_next_sync, prefetched, with_own_threads, with_parallel_operations
from legacy_towers.compat.versions.tracebacks import user_line
from legacy_towers.errors import ArgumentError
from legacy_towers.graph.op_kinds import applies_gradient
from legacy_towers.graph.walk import descendants
from legacy_towers.migrate.conversion.checks import check_root
from legacy_towers.migrate.conversion.datasets import DatasetBuilder
from legacy_towers.migrate.conversion.filled_by_python import note, room, with_first_element
from legacy_towers.migrate.conversion.flows import Flow
from legacy_towers.migrate.conversion.iterators import branch_of, elements_operation, iterator_over
from legacy_towers.migrate.conversion.operations import count_of, handle_of
from legacy_towers.migrate.conversion.plans import REFUSED, SAME_SEQUENCE, SAME_SET, PipelinePlan, Refused
from legacy_towers.migrate.conversion.queue_graph import SHUFFLE, QueueGraph
from legacy_towers.migrate.conversion.retired import close_others, retire
from legacy_towers.migrate.conversion.roots import Root, find_roots, in_any_order, stores_of, stores_that_stay
from legacy_towers.migrate.conversion.sources import outputs_of
from legacy_towers.migrate.conversion.starter import IteratorStarter
from legacy_towers.tensor_types import Graph, Operation, Tensor


class Conversion(NamedTuple):
    """What `convert` has done.

    Attributes:
      plans: a `PipelinePlan` for each queue or reader that the model reads from.
      initializers: operations that start iterators; `tf.train.start_queue_runners` and `tf.tables_initializer()` run
        them. Most iterators start by themselves.
      replaced: tensor that was read from a queue -> the tensor of an iterator in its place.
      starter: what starts the iterators, in the collection QUEUE_RUNNERS; None: all of them start by themselves.
      retired: handle of a converted queue -> that of a queue that is closed in its place.
    """

    plans: Tuple[PipelinePlan, ...]
    initializers: Tuple[Operation, ...]
    replaced: Dict[Tensor, Tensor]
    starter: Optional[IteratorStarter]
    retired: Dict[Tensor, Tensor]

    def rewire(self) -> None:
        """Lets operations that were built since the conversion read from the iterators, too, and close no queue.

        No session may have run them yet: it would not see the change.
        """
        for old, new in self.replaced.items():
            for user in list(old.consumers()):
                for index, tensor in enumerate(user.inputs):
                    if tensor.name == old.name:
                        graph_changes.replace_input(user, index, new)
        close_others(self.retired)

    def __str__(self) -> str:
        return "\n".join(str(plan) for plan in self.plans) or "no queues to convert"


def convert(graph: Optional[Graph] = None, epochs: Optional[int] = None) -> Conversion:
    """Converts the queues that a model reads from to tf.data, in place.

    What reads from a queue reads from an iterator afterwards: the model's operations, and what is fetched and fed by
    the names and the tensors of before. The queue runners of the converted queues leave the collection QUEUE_RUNNERS,
    and the summaries of their sizes leave SUMMARIES. A pipeline that can't be converted stays as it is, whole.

    Args:
      graph: a graph that no session has run yet; None: the default graph.
      epochs: how often a producer without a limit gives its elements; None: for ever, as its queue does.

    Returns:
      A `Conversion`.

    Raises:
      ArgumentError: the graph is finalized.
    """
    graph = tf.get_default_graph() if graph is None else graph
    if graph.finalized:
        raise ArgumentError("the graph is finalized: convert its queues before a session or a Scaffold finalizes it")
    return _Conversion(graph, epochs).run()


def convert_for_file(graph: Graph, epochs: Optional[int] = None) -> Conversion:
    """Converts as `convert` does a graph that becomes a MetaGraph file.

    Queues that Python code fills stay: a file can't hold what starts the datasets that would take from them.
    """
    return _Conversion(graph, epochs, for_file=True).run()


class _Conversion:
    def __init__(self, graph: Graph, epochs: Optional[int], for_file: bool = False) -> None:
        self._graph = graph
        self._for_file = for_file
        self._queues = QueueGraph(graph)
        self._roots = find_roots(self._queues)
        self._builder = DatasetBuilder(
            self._queues, [read for root in self._roots if not root.is_preview for read in root.reads], epochs
        )
        self._stays = stores_that_stay(self._queues)
        self._initializers: List[Operation] = []
        self._started_only: List[Operation] = []  # not run by `tf.tables_initializer()`: elements would be lost
        self._first_reads: List[Operation] = []
        self._filled: List[Operation] = []
        self._after_variables: List[Operation] = []  # those of them that read variables
        self._replaced: Dict[Tensor, Tensor] = {}

    def run(self) -> Conversion:
        with self._graph.as_default(), tf.control_dependencies(None), tf.device("/cpu:0"):
            with tf.name_scope("queues_to_dataset"):
                flows = self._flows()
                plans = [self._plan(root, flow) for root, flow in zip(self._roots, flows)]
                converted = [root for root, flow in zip(self._roots, flows) if isinstance(flow, Flow)]
                for root, flow in zip(self._roots, flows):
                    if isinstance(flow, Flow):
                        self._replace(root, flow)
                starter = self._starter()
                conversion = Conversion(tuple(plans), tuple(self._initializers), self._replaced, starter, {})
                conversion.rewire()
                if converted:
                    stores = set().union(*(stores_of(root, self._queues) for root in converted))
                    conversion.retired.update(retire(self._queues, stores, self._replaced))
        for each in self._initializers:
            # `tf.tables_initializer()` may run beside the initializers of variables.
            if each not in self._after_variables:
                self._graph.add_to_collection(tf.GraphKeys.TABLE_INITIALIZERS, each)
        if starter is not None:
            self._graph.add_to_collection(tf.GraphKeys.QUEUE_RUNNERS, starter)
        return conversion

    def _starter(self) -> Optional[IteratorStarter]:
        if not self._initializers and not self._started_only:
            return None
        handles = [each.outputs[0] for each in dict.fromkeys(self._filled)]
        closes, cancels = (
            [tf.raw_ops.QueueCloseV2(handle=each, cancel_pending_enqueues=cancel) for each in handles]
            for cancel in (False, True)
        )
        return IteratorStarter(self._initializers + self._started_only, self._first_reads, closes, cancels)

    def _flows(self) -> List[Any]:
        """Returns the flow of each root, or the `Refused` that keeps it; those that share a queue are kept together."""
        flows: List[Any] = []
        for root in self._roots:
            try:
                flows.append(self._flow(root))
            except Refused as refused:
                flows.append(refused)
        stores = [stores_of(root, self._queues) for root in self._roots]
        changed = True
        while changed:
            changed = False
            for index, flow in enumerate(flows):
                for other, problem in enumerate(flows):
                    if isinstance(flow, Flow) and isinstance(problem, Refused) and stores[index] & stores[other]:
                        shared = sorted(each.name for each in stores[index] & stores[other])[0]
                        flow = flows[index] = Refused(
                            "it shares {!r} with {!r}, which can't be converted: {}".format(
                                shared, self._roots[other].name, problem.reason
                            ), problem.operation,
                        )
                        changed = True
        return flows

    def _flow(self, root: Root) -> Flow:
        first = root.reads[0]
        check_root(root, self._queues)
        if root.is_preview:
            self._check_preview(root)
        self._check_filled(root)
        for store in sorted(stores_of(root, self._queues) & self._stays, key=lambda each: each.name):
            raise Refused("Python code also dequeues from it to fill another queue", store)
        flow = self._builder.preview(first) if root.is_preview else self._builder.flow_of(first)
        if in_any_order(root):
            flow = flow._replace(mixed=flow.mixed + ("{} operations read from it in a step".format(len(root.reads)),))
        if root.is_preview:
            buffered = 1
        elif self._builder.has_several_consumers(root.store):
            return flow  # a buffer would take from the others
        elif flow.filled:
            return self._taken_ahead(root, flow, count_of(first))
        else:
            buffered = _buffer_size(self._queues.queues.get(root.store), count_of(first))
        return flow.then(
            with_parallel_operations(prefetched(flow.dataset, buffered)), "prefetch({})".format(buffered)
        )

    def _taken_ahead(self, root: Root, flow: Flow, count: Optional[int]) -> Flow:
        """Returns a flow of queues that Python code fills, whose first element starts what computes ahead."""
        filled = flow.filled[0]
        if self._for_file:
            raise Refused("Python code fills {!r}, and a file can't hold what starts a dataset of it".format(
                filled.name), filled)
        if root.store not in self._queues.queues:
            raise Refused("Python code fills {!r}, and no queue runner is between it and the model".format(
                filled.name), root.reads[0])
        others = [each for each in self._roots if each is not root and any(
            handle_of(tensor) in flow.filled for read in each.reads for tensor in list(read.inputs)[:2]
        )]
        if others:
            raise Refused("Python code fills {!r}, and the model also dequeues from it".format(filled.name),
                          others[0].reads[0])
        size = room(self._queues.queues[root.store], count)
        return flow.then(
            with_parallel_operations(prefetched(with_first_element(flow, root.reads[0]), size)),
            "prefetch({})".format(size),
        )

    def _check_filled(self, root: Root) -> None:
        queue = self._queues.queues.get(root.store)
        if queue is not None and queue.is_filled_by_python:
            raise Refused(
                "Python code fills it and the model dequeues from it, so that tf.data has nothing to compute "
                "ahead; `legacy-towers migrate --explain LT413` has a dataset in place of both",
                queue.enqueues[0].operation,
            )

    def _check_preview(self, root: Root) -> None:
        for operation in descendants(root.reads):
            if applies_gradient(operation) or operation.type.startswith("Assign"):
                raise Refused("a queue and the model both read from it", operation)

    def _plan(self, root: Root, flow: Any) -> PipelinePlan:
        if isinstance(flow, Refused):
            return PipelinePlan(
                root.name, REFUSED, flow.reason, (), flow.operation.name, user_line(flow.operation), ()
            )
        notes: Tuple[str, ...] = ()
        if root.is_preview:
            notes = ("what reads from it beside the queue gets a pass of its own over the data, and takes no example "
                     "from the queue",)
        if flow.filled:
            notes += (note(flow.filled),)
        mixed = tuple(dict.fromkeys(flow.mixed))
        promise = SAME_SET if mixed else SAME_SEQUENCE
        return PipelinePlan(root.name, promise, "; ".join(mixed), flow.steps, None, user_line(root.reads[0]), notes,
                            tuple(each.name for each in flow.filled))

    def _has(self, root: Root, attribute: str) -> bool:
        """Returns whether a part of what fills the queues of a root has an attribute of `Cut`."""
        parts = [
            each.part for store in stores_of(root, self._queues) if store in self._queues.queues
            for each in self._queues.queues[store].enqueues
        ]
        return any(getattr(part, attribute) for part in parts)

    def _replace(self, root: Root, flow: Flow) -> None:
        """Lets all that reads from a queue read from an iterator."""
        if flow.filled:
            iterator, initializers = tf.data.make_initializable_iterator(flow.dataset), []
            self._started_only.append(iterator.initializer)
            self._first_reads.append(elements_operation(iterator.get_next()))
            self._filled += flow.filled
        else:
            dataset = with_own_threads(flow.dataset)
            iterator, starts_itself = iterator_over(dataset, self._has(root, "has_large_constants"))
            initializers = [] if starts_itself else [iterator.initializer]
        initializers = [each for each in flow.initializers if each not in self._initializers] + initializers
        self._initializers += initializers
        if self._has(root, "reads_variables"):
            self._after_variables += initializers
        indices = [each.value_index for each in outputs_of(root.reads[0], not root.is_preview)]
        for read in root.reads:
            # What ran before the read, such as the read of the tower before it, runs before it still.
            with tf.control_dependencies(branch_of(read) + list(read.control_inputs)):
                # What Python code fills may need the thread that waits.
                elements = iterator.get_next() if flow.filled else get_next_sync(iterator)
            for index_of_output, new in zip(indices, tf.nest.flatten(elements)):
                old = read.outputs[index_of_output]
                new.set_shape(old.shape)
                self._replaced[old] = new
            graph_changes.replace_control_input(read, elements_operation(elements))


def _buffer_size(queue: Any, count: Optional[int]) -> int:
    """Returns how many elements of `count` examples a queue has room for, beside those that it shuffles."""
    if queue is None or queue.capacity < 1:
        return 2
    if queue.kind == SHUFFLE:
        # The buffer of the shuffle holds as many as the queue, so that this is memory on top of it.
        return min(8, max(2, (queue.capacity - queue.min_after_dequeue) // (count or 1)))
    return max(1, queue.capacity // (count or 1))
