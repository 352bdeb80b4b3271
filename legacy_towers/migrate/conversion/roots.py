"""What a model reads from the queues and readers of its graph."""
from typing import Any, Callable, Dict, Iterable, List, NamedTuple, Set, Tuple

from legacy_towers.compat.versions.graph import is_in_control_flow
from legacy_towers.graph.walk import ancestors, descendants
from legacy_towers.migrate.conversion.operations import (
    COUNTERS,
    conditions_of,
    files_of,
    handle_of,
    is_read,
    is_source,
    reads_one_record_per_file,
    store_of,
)
from legacy_towers.migrate.conversion.queue_graph import Queue, QueueGraph, makes_queue
from legacy_towers.migrate.conversion.retired import is_retired
from legacy_towers.tensor_types import Operation


class Root(NamedTuple):
    """What the model reads from one queue or reader.

    Attributes:
      store: the operation that makes the queue or the reader.
      reads: the operations that take elements from it.
      is_preview: whether they also fill another queue, as where a summary shows images that go into `tf.train.batch`.
    """

    store: Operation
    reads: List[Operation]
    is_preview: bool

    @property
    def name(self) -> str:
        return self.store.name if makes_queue(self.store) and not self.is_preview else self.reads[0].name


def find_roots(queues: QueueGraph) -> List[Root]:
    """Returns what the model reads from queues and readers that are in use, in the order of the graph."""
    fill = {source for queue in queues.queues.values() for each in queue.enqueues for source in each.part.sources}
    roots: Dict[Tuple[Operation, Any, bool], Root] = {}
    for operation in queues.graph.get_operations():
        if not is_source(operation) or operation.type in COUNTERS:
            continue
        store = store_of(operation)
        if is_retired(store):
            continue
        is_preview = operation in fill
        if is_preview and not _is_used_outside(operation, queues):
            continue
        files = files_of(operation) if is_read(operation) and reads_one_record_per_file(store) else None
        roots.setdefault((store, files, is_preview), Root(store, [], is_preview)).reads.append(operation)
    return list(roots.values())


def stores_of(root: Root, queues: QueueGraph) -> Set[Operation]:
    """Returns the operations that make the queues and readers which a root reads from, directly or through others.

    They are without the queues that Python code fills, and without what is before these: all of that stays.
    """
    return _stores_before(root.reads, queues, lambda queue: not queue.is_filled_by_python)


def filled_by_python(root: Root, queues: QueueGraph) -> List[Queue]:
    """Returns the queues that Python code fills and that a root reads from, directly or through others."""
    stores = [queues.queues[each] for each in stores_of(root, queues) if each in queues.queues]
    parts = [enqueue.part for queue in stores for enqueue in queue.enqueues]
    sources = list(root.reads) + [each for part in parts for each in part.sources]
    handles = {handle_of(tensor) for source in sources for tensor in list(source.inputs)[:2]}
    return [queue for queue in queues.queues.values() if queue.operation in handles and queue.is_filled_by_python]


def stores_that_stay(queues: QueueGraph) -> Set[Operation]:
    """Returns the operations that make the queues and readers which Python code takes from, to fill other queues."""
    filled = [each for queue in queues.queues.values() if queue.is_filled_by_python for each in queue.enqueues]
    sources = [source for enqueue in filled for source in enqueue.part.sources]
    return _stores_before(sources, queues, lambda queue: True)


def _stores_before(sources: Iterable[Operation], queues: QueueGraph, is_wanted: Callable[[Queue], bool]) -> Any:
    waiting, found = list(sources), set()
    while waiting:
        source = waiting.pop()
        if source.type in COUNTERS:
            continue
        for store in [handle_of(each) for each in list(source.inputs)[:2 if is_read(source) else 1]]:
            if store not in found and (store not in queues.queues or is_wanted(queues.queues[store])):
                found.add(store)
                if store in queues.queues:
                    waiting += [each for enqueue in queues.queues[store].enqueues for each in enqueue.part.sources]
    return found


def in_any_order(root: Root) -> bool:
    """Returns whether one step runs several of the operations that read, in any order.

    Those of the two branches of a `tf.cond` do not run in one step, and control inputs may give them an order.
    """
    for earlier, later in zip(root.reads, root.reads[1:]):
        conditions = [{each.predicate.name: each.holds for each in conditions_of(read)} for read in (earlier, later)]
        excluded = any(conditions[1].get(name, holds) != holds for name, holds in conditions[0].items())
        if not excluded and earlier not in ancestors([later], graph=later.graph):
            return True
    return False


def ends_of(operations: List[Operation]) -> List[Operation]:
    """Returns the operations that data flows into and that hand it to no other."""
    return [each for each in descendants(operations) if not any(output.consumers() for output in each.outputs)]


def _is_used_outside(source: Operation, queues: QueueGraph) -> bool:
    """Returns whether what a source gives is used by more than what fills queues.

    A `tf.cond` or `tf.while_loop` leaves operations that nobody reads.
    """
    return any(
        each not in queues.inside and each.type not in ("Exit", "Merge") and not is_in_control_flow(each)
        and each is not source for each in ends_of([source])
    )
