"""One version of a pipeline, ready to be read: by its queues, or by tf.data."""
from typing import Any, Dict, List, NamedTuple, Optional, Sequence, Set, Tuple

from legacy_towers.compat import tf
from legacy_towers.graph import op_kinds
from legacy_towers.graph.walk import ancestors
from legacy_towers.migrate.conversion import convert as conversion
from legacy_towers.migrate.conversion.enqueues import Enqueue
from legacy_towers.migrate.conversion.operations import count_of, is_dequeue, is_source, store_of
from legacy_towers.migrate.conversion.plans import PipelinePlan
from legacy_towers.migrate.conversion.queue_graph import PADDING, QueueGraph
from legacy_towers.migrate.conversion.roots import Root, filled_by_python, find_roots, stores_of
from legacy_towers.migrate.conversion.sources import outputs_of
from legacy_towers.migrate.proof.copies import DEQUEUES_OF_FULL_BATCHES
from legacy_towers.migrate.proof.initial_values import initializers_of, made_up_values
from legacy_towers.migrate.proof.random_feeds import EXAMPLES, LIMITS, RandomFeeds
from legacy_towers.migrate.proof.runners import EpochRunner
from legacy_towers.tensor_types import Graph, Operation, Tensor

_TAKE_SPARSE = "TakeManySparseFromTensorsMap"
_SHUFFLE = "RandomShuffle"
_UNCHANGED = ("Squeeze", "Reshape", "Identity", "ExpandDims")


class Component(NamedTuple):
    """One component of a batch.

    Attributes:
      name: the name of the tensor that the queue's version gives.
      tensors: the names of what is fetched: that tensor, or indices, values and shape of a sparse tensor.
      is_padded: whether examples are padded to the longest of their batch.
      is_random: whether it depends on random numbers.
    """

    name: str
    tensors: Tuple[str, ...]
    is_padded: bool
    is_random: bool

    @property
    def is_sparse(self) -> bool:
        return len(self.tensors) == 3


class Shape(NamedTuple):
    """What is read of one pipeline, the same for both versions.

    Attributes:
      name: the name of the queue or reader.
      reads: for each operation of the model that takes a batch, the components that it gives.
      read_names: the names of these operations.
      batch_size: the number of examples in a batch; None: one example without a batch dimension.
      batches: where the queue holds whole batches, its name and those of the operations that make them, such as
        `prefetch_queue` and its batch; () otherwise.
      inner: names of the operations that make batches on the way to the queue, and drop a last, smaller one.
      feeds: name of a tensor -> its value in each read: the condition of a `tf.cond`.
      random_ops: names of the random operations that its examples depend on.
      orders: those of them that only decide an order, such as that of file names.
      threads: whether several threads run one of these random operations.
      joins: whether several operations fill one of its queues, in any order.
      is_limited: whether its producers end by themselves.
      initializers: names of operations that give the variables on the way to the queue their initial values.
      filled: names of the queues that Python code fills.
    """

    name: str
    reads: Tuple[Tuple[Component, ...], ...]
    read_names: Tuple[str, ...]
    batch_size: Optional[int]
    batches: Tuple[str, ...]
    inner: Tuple[str, ...]
    feeds: Dict[str, bool]
    random_ops: Tuple[str, ...]
    orders: Tuple[str, ...]
    threads: bool
    joins: bool
    is_limited: bool
    initializers: Tuple[str, ...]
    filled: Tuple[str, ...]

    @property
    def has_batches(self) -> bool:
        return self.batch_size is not None


class Side(NamedTuple):
    """One version of a pipeline.

    Attributes:
      graph: its graph.
      reads: for each read, its components' tensors.
      feeds: what each run is fed.
      initializers: what a new session runs first.
      made_up: what their placeholders are fed.
      runners: what fills the queues; none for tf.data.
    """

    graph: Graph
    reads: List[List[List[Tensor]]]
    feeds: Dict[Tensor, bool]
    initializers: List[Operation]
    made_up: Dict[Tensor, Any]
    runners: List[Any]

    @property
    def random_examples(self) -> int:
        """How many random examples take the place of what Python code puts into a queue."""
        return max([each.number for each in self.runners if isinstance(each, RandomFeeds)] or [0])


def shapes_of(graph: Graph) -> List[Shape]:
    """Returns what is read of each pipeline of a graph that is not converted."""
    queues = QueueGraph(graph)
    return [_shape(root, queues) for root in find_roots(queues)]


def queue_side(graph: Graph, shape: Shape, epochs: Optional[int], limit: int = LIMITS[0]) -> Side:
    """Returns the queues' version of a pipeline.

    Args:
      graph: a graph that is not converted.
      shape: what is read.
      epochs: how often a producer without a limit gives its elements; None: for ever.
      limit: the largest integer that is put into queues that Python code fills.
    """
    queues = QueueGraph(graph)
    root = next(each for each in find_roots(queues) if each.name == shape.name)
    feeds = _feeds(queues, shape, limit)
    stores = stores_of(root, queues)
    used = [queues.queues[store] for store in stores if store in queues.queues]
    enqueues = {each.operation: each for queue in used for each in queue.enqueues}
    first = {group[0].operation for queue in used for group in queue.groups()}
    endless = {operation for operation, each in enqueues.items() if not each.part.sources}
    runners = []
    for runner in queues.runners:
        operations = [getattr(each, "op", each) for each in runner.enqueue_ops]
        if not set(operations) & set(enqueues):
            continue
        if set(operations) & endless:
            limits = [
                (each, epochs if each in endless else None)
                for each in (dict.fromkeys(operations) if set(operations) <= endless else operations)
                if each not in endless or each in first
            ]
            runners.append(EpochRunner(limits, runner.close_op, runner.cancel_op))
        else:
            runners.append(runner)
    return _side(graph, shape, {}, runners, feeds)


def dataset_side(
    graph: Graph, shape: Shape, epochs: Optional[int], limit: int = LIMITS[0]
) -> Tuple[Optional[Side], PipelinePlan]:
    """Converts a graph; returns tf.data's version of a pipeline, None if it is refused, and its plan."""
    feeds = _feeds(QueueGraph(graph), shape, limit)
    converted = conversion.convert(graph, epochs)
    plan = next(each for each in converted.plans if each.name == shape.name)
    if not plan.steps:
        return None, plan
    replaced = {old.name: new for old, new in converted.replaced.items()}
    return _side(graph, shape, replaced, graph.get_collection(tf.GraphKeys.QUEUE_RUNNERS), feeds), plan


def _feeds(queues: QueueGraph, shape: Shape, limit: int) -> List[RandomFeeds]:
    filled = [each for each in queues.queues.values() if each.name in shape.filled]
    examples = max(EXAMPLES, 3 * (shape.batch_size or 1))  # enough for some batches
    for count in {count_of(each) or 1 for queue in filled for each in queue.dequeues}:
        examples = count * -(-examples // count)  # which of them a last `dequeue_many` drops may be a matter of chance
    return [RandomFeeds(queues.graph, filled, examples, limit)] if filled else []


def _side(
    graph: Graph, shape: Shape, replaced: Dict[str, Tensor], runners: Sequence[Any], feeds: List[RandomFeeds]
) -> Side:
    def tensor(name: str) -> Tensor:
        return replaced[name] if name in replaced else graph.get_tensor_by_name(name)

    with graph.as_default():
        initializers = [graph.get_operation_by_name(name) for name in shape.initializers]
        initializers += [tf.local_variables_initializer(), tf.tables_initializer()]
    return Side(
        graph,
        [[[tensor(name) for name in component.tensors] for component in read] for read in shape.reads],
        {graph.get_tensor_by_name(name): value for name, value in shape.feeds.items()},
        initializers,
        made_up_values(initializers),
        (list(runners) if not replaced else [each for each in runners if each.queue is None]) + feeds,
    )


def _shape(root: Root, queues: QueueGraph) -> Shape:
    stores = stores_of(root, queues)
    used = [queues.queues[store] for store in stores if store in queues.queues]
    enqueues = [each for queue in used for each in queue.enqueues]
    random_ops = [
        operation.name for each in enqueues for operation in each.part.operations
        if op_kinds.draws_random_numbers(operation)
    ]
    padded = root.store in queues.queues and queues.queues[root.store].kind == PADDING
    filled = filled_by_python(root, queues)
    enqueues_in_python = [each for queue in filled for each in queue.enqueues]
    needed = ancestors(
        [each.operation for each in enqueues + enqueues_in_python] + list(root.reads), graph=queues.graph
    )
    feeds = {}
    for read in root.reads:
        handle = read.inputs[0]
        if handle.op.type in ("Switch", "RefSwitch"):
            feeds[handle.op.inputs[1].name] = bool(handle.value_index)
    size = count_of(root.reads[0])
    batches: Tuple[str, ...] = ()
    if size is None:
        size, batches = _of_batches(root, queues)
    return Shape(
        root.name,
        tuple(
            tuple(_component(each, queues, padded, size) for each in outputs_of(read, not root.is_preview))
            for read in root.reads
        ),
        tuple(read.name for read in root.reads),
        size,
        batches,
        tuple(dict.fromkeys(
            source.name for each in enqueues for source in each.part.sources if source.type in DEQUEUES_OF_FULL_BATCHES
        )),
        feeds,
        tuple(dict.fromkeys(random_ops)),
        tuple(dict.fromkeys(
            operation.name for each in enqueues for operation in each.part.operations
            if _decides_order(operation, each)
        )),
        any(
            each.threads > 1 and any(op_kinds.draws_random_numbers(operation) for operation in each.part.operations)
            for each in enqueues
        ),
        any(len(queue.enqueues) > 1 for queue in used),
        all(each.part.sources for each in enqueues),
        tuple(sorted(each.name for each in initializers_of(queues.graph, needed))),
        tuple(each.name for each in filled),
    )


def _of_batches(root: Root, queues: QueueGraph) -> Tuple[Optional[int], Tuple[str, ...]]:
    """Returns the size of the batches that a queue holds, and its `batches`; None and () if it holds examples."""
    if root.store not in queues.queues or root.is_preview:
        return None, ()
    sources = [each for enqueue in queues.queues[root.store].enqueues for each in enqueue.part.sources]
    sizes = {count_of(each) if is_dequeue(each) else None for each in sources}
    shapes = [each.shape for read in root.reads for each in read.outputs]
    size = sizes.pop() if len(sizes) == 1 else None
    if size is None or size < 1 or any(shape.rank in (None, 0) or shape.as_list()[0] != size for shape in shapes):
        return None, ()
    return size, (root.store.name,) + tuple(each.name for each in sources)


def _component(tensor: Tensor, queues: QueueGraph, padded: bool, size: Optional[int]) -> Component:
    names = (tensor.name,)
    waiting = [tensor]
    while waiting:
        for user in waiting.pop().consumers():
            if user.type == _TAKE_SPARSE:
                names = tuple(each.name for each in user.outputs)
            elif user.type in _UNCHANGED:
                waiting += list(user.outputs)
    has_unknown = tensor.shape.rank is None or None in tensor.shape.as_list()[0 if size is None else 1:]
    return Component(tensor.name, names, padded and has_unknown, _is_random(tensor, queues, set()))


def _decides_order(operation: Operation, enqueue: Enqueue) -> bool:
    """Returns whether an operation only decides the order of what a producer gives, such as names of files."""
    return operation.type == _SHUFFLE and enqueue.many and not enqueue.part.sources


def _is_random(tensor: Tensor, queues: QueueGraph, seen: Set[Tensor]) -> bool:
    """Returns whether a component that a source gives depends on random numbers."""
    if tensor.name in seen or not is_dequeue(tensor.op):
        return False
    seen.add(tensor.name)
    queue = queues.queues.get(store_of(tensor.op))
    for enqueue in queue.enqueues if queue is not None else ():
        waiting = [enqueue.tensors[tensor.value_index]] + [condition.predicate for condition in enqueue.conditions]
        done: Set[Operation] = set()
        while waiting:
            each = waiting.pop()
            if is_source(each.op):
                if _is_random(each, queues, seen):
                    return True
            elif each.op not in done:
                done.add(each.op)
                if op_kinds.draws_random_numbers(each.op) and not _decides_order(each.op, enqueue):
                    return True
                waiting += each.op.inputs
    return False
