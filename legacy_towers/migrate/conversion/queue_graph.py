"""The queues, readers and counters of a graph, and which operations use them."""
from typing import Any, Dict, List, Optional, Set, Tuple

from legacy_towers.compat import tf
from legacy_towers.graph import op_kinds
from legacy_towers.graph.walk import attributes_of
from legacy_towers.migrate.conversion.enqueues import ENQUEUES, Enqueue, Users, enqueue_of, lost_stores
from legacy_towers.migrate.conversion.operations import (
    COUNTERS,
    PASS_HANDLE,
    counts_of,
    files_of,
    handle_of,
    is_dequeue,
    is_read,
    is_source,
    store_of,
)
from legacy_towers.migrate.conversion.plans import Refused
from legacy_towers.tensor_types import Graph, Operation, Tensor

FIFO, SHUFFLE, PADDING, PRIORITY = "FIFOQueue", "RandomShuffleQueue", "PaddingFIFOQueue", "PriorityQueue"
_KINDS = (FIFO, SHUFFLE, PADDING, PRIORITY)
_QUEUE_OPS = {kind + version: kind for kind in _KINDS for version in ("", "V2")}
_SIZES = ("QueueSize", "QueueSizeV2")
STATES = ("QueueClose", "QueueCloseV2", "QueueIsClosed", "QueueIsClosedV2")


def makes_queue(operation: Operation) -> bool:
    return operation.type in _QUEUE_OPS


class Queue:
    """A queue and the operations that use it.

    Attributes:
      operation: the one that makes it.
      kind: FIFO, SHUFFLE, PADDING or PRIORITY.
      capacity: the most elements in it; -1: any number.
      enqueues: what puts elements into it.
      dequeues: operations that take elements from it.
      sizes: operations that read its size.
      states: operations that close it, or read whether it is closed.
      others: what else uses it, such as a function that takes elements from it.
    """

    def __init__(self, operation: Operation) -> None:
        self.operation = operation
        self.kind = _QUEUE_OPS[operation.type]
        self.capacity: int = operation.get_attr("capacity")
        self.enqueues: List[Enqueue] = []
        self.dequeues: List[Operation] = []
        self.sizes: List[Operation] = []
        self.states: List[Operation] = []
        self.others: List[Operation] = []

    @property
    def name(self) -> str:
        return self.operation.name

    @property
    def dtypes(self) -> List[Any]:
        return [tf.as_dtype(each) for each in self.operation.get_attr("component_types")]

    @property
    def shapes(self) -> Optional[List[Any]]:
        """The static shapes of its components; None if they may be any."""
        shapes = [tf.TensorShape(each) for each in self.operation.get_attr("shapes")]
        return shapes or None

    @property
    def shuffles(self) -> bool:
        return self.kind == SHUFFLE

    @property
    def min_after_dequeue(self) -> int:
        """How many elements stay in it to shuffle among; 0: it does not shuffle."""
        return int(self.operation.get_attr("min_after_dequeue")) if self.shuffles else 0

    @property
    def is_filled_by_python(self) -> bool:
        """Whether no queue runner fills it: Python code does, by `session.run`."""
        return bool(self.enqueues) and not any(each.threads for each in self.enqueues)

    def groups(self) -> List[List[Enqueue]]:
        """Returns its enqueues, those together that compute the same by readers of the same kind."""
        found: List[List[Enqueue]] = []
        for each in self.enqueues:
            for group in found:
                if _are_alike(group[0], each):
                    group.append(each)
                    break
            else:
                found.append([each])
        return found


class QueueGraph:
    """The queues of a graph.

    Args:
      graph: a graph.

    Attributes:
      graph: that graph.
      queues: operation that makes a queue -> `Queue`.
      runners: the queue runners of the collection QUEUE_RUNNERS.
      lost: queue or reader -> why it can't be converted: a queue runner does something else with it.
    """

    def __init__(self, graph: Graph) -> None:
        self.graph = graph
        self.queues: Dict[Operation, Queue] = {}
        self.runners = list(graph.get_collection(tf.GraphKeys.QUEUE_RUNNERS))
        operations = graph.get_operations()
        for operation in operations:
            if operation.type in _QUEUE_OPS:
                self.queues[operation] = Queue(operation)
        threads = self._threads()
        self._enqueues: List[Tuple[Operation, Enqueue]] = []
        users = Users(graph)
        for operation in operations if self.queues else ():
            for index, handle in enumerate(operation.inputs):
                queue = self.queues.get(handle_of(handle))
                if queue is not None:
                    self._note_use(queue, operation, index, threads, users)
        self.inside: Set[Operation] = {operation for operation, _ in self._enqueues}
        for queue in self.queues.values():
            for each in queue.enqueues:
                self.inside.update(each.part.operations)
                self.inside.update([each.operation])
        self.lost = lost_stores(threads, self._enqueues, self._used_by)

    def _used_by(self, operation: Operation) -> List[Operation]:
        """Returns the queues and readers that an operation takes from or puts elements into."""
        if is_read(operation):
            return [store_of(operation), files_of(operation)]
        return [store_of(operation)] if is_dequeue(operation) or operation.type in ENQUEUES else []

    def _note_use(self, queue: Queue, operation: Operation, index: int, threads: Any, users: Any) -> None:
        if operation.type in ENQUEUES and index == 0:
            enqueue = enqueue_of(operation, threads, users)
            queue.enqueues.append(enqueue)
            self._enqueues.append((operation, enqueue))
        elif is_dequeue(operation):
            queue.dequeues.append(operation)
        elif operation.type in _SIZES:
            queue.sizes.append(operation)
        elif operation.type in STATES:
            queue.states.append(operation)
        elif operation.type not in PASS_HANDLE and not (is_read(operation) and index == 1):
            queue.others.append(operation)

    def queue_of(self, operation: Operation) -> Queue:
        """Returns the queue that a dequeue takes from, or that gives a read operation its files.

        Raises:
          Refused: the handle is computed, as in `tf.QueueBase.from_list`.
        """
        handle = handle_of(operation.inputs[1 if is_read(operation) else 0])
        if handle not in self.queues:
            raise Refused("which queue it reads is not known before the run", operation)
        return self.queues[handle]

    def takes_from_python(self, source: Operation) -> bool:
        """Returns whether Python code fills the queue of a dequeue or read operation, or one before that."""
        waiting, seen = [source], set()  # type: List[Operation], Set[Operation]
        while waiting:
            each = waiting.pop()
            if each in seen or each.type in COUNTERS:
                continue
            seen.add(each)
            queue = self.queue_of(each)
            if queue.is_filled_by_python:
                return True
            waiting += [before for enqueue in queue.enqueues for before in enqueue.part.sources]
        return False

    def _threads(self) -> Dict[Operation, int]:
        counts: Dict[Operation, int] = {}
        for runner in self.runners:
            for operation in runner.enqueue_ops:
                operation = getattr(operation, "op", operation)
                counts[operation] = counts.get(operation, 0) + 1
        return counts


def _are_alike(one: Enqueue, other: Enqueue) -> bool:
    """Returns whether two enqueues compute the same from sources of the same kind, which have the same queue."""
    conditions = [[condition.holds for condition in each.conditions] for each in (one, other)]
    if (one.many, len(one.tensors), conditions[0]) != (other.many, len(other.tensors), conditions[1]):
        return False
    waiting = list(zip(one.part.targets, other.part.targets))
    seen: Set[Tuple[Tensor, Tensor]] = set()
    while waiting:
        first, second = waiting.pop()
        if first is second or (first, second) in seen:
            continue
        seen.add((first, second))
        if first.value_index != second.value_index or first.op.type != second.op.type:
            return False
        if is_source(first.op):
            if first.op.type in COUNTERS or not _same_store(first.op, second.op):
                return False
            continue
        if not first.op.inputs and first.op.type != "Const":
            return False
        if _computes(first.op) != _computes(second.op) or len(first.op.inputs) != len(second.op.inputs):
            return False
        if len(first.op.control_inputs) != len(second.op.control_inputs):
            return False
        waiting += zip(first.op.inputs, second.op.inputs)
    return True


def _computes(operation: Operation) -> Any:
    """Returns the attributes of an operation, without seeds: threads draw random numbers in any order."""
    is_random = op_kinds.draws_random_numbers(operation)
    return [each for each in attributes_of(operation) if not is_random or each[0] not in ("seed", "seed2")]


def _same_store(one: Operation, other: Operation) -> bool:
    if is_read(one):
        first, second = handle_of(one.inputs[0]), handle_of(other.inputs[0])
        if first is not second and (first.type != second.type or _options(first) != _options(second)):
            return False
        if handle_of(one.inputs[1]) is not handle_of(other.inputs[1]):
            return False
    elif handle_of(one.inputs[0]) is not handle_of(other.inputs[0]):
        return False
    return [_constant(each) for each in counts_of(one)] == [_constant(each) for each in counts_of(other)]


def _options(reader: Operation) -> Any:
    return [pair for pair in attributes_of(reader) if pair[0] not in ("shared_name", "container")]


def _constant(tensor: Tensor) -> Any:
    value = tf.get_static_value(tensor)
    return tensor.name if value is None else int(value)
