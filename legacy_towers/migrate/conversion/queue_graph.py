"""The queues, readers and counters of a graph, and which operations use them."""
from typing import Any, Dict, List, NamedTuple, Optional, Set, Tuple

from legacy_towers.compat import tf
from legacy_towers.graph import op_kinds
from legacy_towers.graph.walk import attributes_of
from legacy_towers.migrate.conversion.cut import Cut, cut
from legacy_towers.migrate.conversion.plans import Refused
from legacy_towers.tensor_types import Graph, Operation, Tensor

FIFO, SHUFFLE, PADDING, PRIORITY = "FIFOQueue", "RandomShuffleQueue", "PaddingFIFOQueue", "PriorityQueue"
_KINDS = (FIFO, SHUFFLE, PADDING, PRIORITY)
_QUEUE_OPS = {kind + version: kind for kind in _KINDS for version in ("", "V2")}
_ENQUEUES = {"QueueEnqueue": False, "QueueEnqueueV2": False, "QueueEnqueueMany": True, "QueueEnqueueManyV2": True}
_SIZES = ("QueueSize", "QueueSizeV2")
_STATES = ("QueueClose", "QueueCloseV2", "QueueIsClosed", "QueueIsClosedV2")
COUNTERS = ("CountUpTo", "ResourceCountUpTo")
# What hands a queue's or a reader's handle on.
_HANDS_ON = ("Identity", "Switch", "RefSwitch", "Enter", "RefEnter", "RefIdentity")


def is_dequeue(operation: Operation) -> bool:
    return operation.type in op_kinds.QUEUE_INPUT_OPS


def is_read(operation: Operation) -> bool:
    return operation.type in op_kinds.READER_INPUT_OPS


def is_source(operation: Operation) -> bool:
    """Returns whether an operation takes an element from a queue, a reader or a counter in each run."""
    return is_dequeue(operation) or is_read(operation) or operation.type in COUNTERS


def handle_of(tensor: Tensor) -> Operation:
    """Returns the operation that made the queue or the reader whose handle is `tensor`."""
    operation = tensor.op
    while operation.type in _HANDS_ON and operation.inputs:
        operation = operation.inputs[0].op
    return operation


def users_of(reader: Operation) -> List[Operation]:
    """Returns what uses a reader: what reads, and what else, such as `reader.num_records_produced()`."""
    waiting, found = [reader], []
    while waiting:
        for user in [each for output in waiting.pop().outputs for each in output.consumers()]:
            if user.type in _HANDS_ON:
                waiting.append(user)
            else:
                found.append(user)
    return found


class Enqueue(NamedTuple):
    """An operation that puts elements into a queue.

    Attributes:
      operation: what runs: the enqueue operation, or the `tf.cond` around it.
      tensors: what it puts into the queue.
      many: whether the tensors hold several elements each.
      condition: the bool tensor that decides whether it does; None: it always does.
      threads: how many threads of queue runners run it; 0: no queue runner does.
      part: what computes the tensors.
    """

    operation: Operation
    tensors: Tuple[Tensor, ...]
    many: bool
    condition: Optional[Tensor]
    threads: int
    part: Cut


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
        users = _Users(graph)
        for operation in operations if self.queues else ():
            for index, handle in enumerate(operation.inputs):
                queue = self.queues.get(handle_of(handle))
                if queue is not None:
                    self._note_use(queue, operation, index, threads, users)
        self.inside: Set[Operation] = set()
        for queue in self.queues.values():
            for each in queue.enqueues:
                self.inside.update(each.part.operations)
                self.inside.update([each.operation])

    def _note_use(self, queue: Queue, operation: Operation, index: int, threads: Any, users: Any) -> None:
        if operation.type in _ENQUEUES and index == 0:
            queue.enqueues.append(_enqueue(operation, threads, users))
        elif is_dequeue(operation):
            queue.dequeues.append(operation)
        elif operation.type in _SIZES:
            queue.sizes.append(operation)
        elif operation.type in _STATES:
            queue.states.append(operation)
        elif operation.type not in _HANDS_ON and not (is_read(operation) and index == 1):
            queue.others.append(operation)

    def queue_of(self, operation: Operation) -> Queue:
        """Returns the queue that a dequeue takes from, or that gives a read operation its files.

        Raises:
          Refused: the handle is computed, as in `tf.QueueBase.from_list`.
        """
        handle = handle_of(operation.inputs[1 if is_read(operation) else 0])
        if handle not in self.queues:
            raise Refused("which queue it takes from is not known before the run", operation)
        return self.queues[handle]

    def _threads(self) -> Dict[Operation, int]:
        counts: Dict[Operation, int] = {}
        for runner in self.runners:
            for operation in runner.enqueue_ops:
                operation = getattr(operation, "op", operation)
                counts[operation] = counts.get(operation, 0) + 1
        return counts


class _Users:
    """Finds the operations that run after another one, by data or by control inputs."""

    def __init__(self, graph: Graph) -> None:
        self._graph = graph
        self._by_control: Optional[Dict[Operation, List[Operation]]] = None

    def __call__(self, operation: Operation) -> List[Operation]:
        if self._by_control is None:
            self._by_control = {}
            for each in self._graph.get_operations():
                for before in each.control_inputs:
                    self._by_control.setdefault(before, []).append(each)
        by_data = [user for output in operation.outputs for user in output.consumers()]
        return by_data + self._by_control.get(operation, [])


def _enqueue(operation: Operation, threads: Dict[Operation, int], users: _Users) -> Enqueue:
    runs, condition = operation, None
    tensors = list(operation.inputs)[1:]
    if operation not in threads:
        runs, condition, tensors = _of_cond(operation, tensors, threads, users)
    targets = tensors + ([condition] if condition is not None else [])
    part = cut(targets, is_source, operation.control_inputs if runs is operation else ())
    return Enqueue(runs, tuple(tensors), _ENQUEUES[operation.type], condition, threads.get(runs, 0), part)


def _of_cond(operation: Operation, tensors: List[Tensor], threads: Dict[Operation, int], users: _Users) -> Any:
    """Returns the operation that a thread runs, the condition and the tensors of an enqueue inside a `tf.cond`.

    As `tf.train.maybe_batch` makes it: (Switch -> enqueue -> Identity -> Merge), where the other branch does nothing.
    """
    switches = [tensor.op for tensor in tensors if tensor.op.type == "Switch"]
    waiting, seen, merges = [operation], {operation}, []
    while waiting:
        each = waiting.pop()
        if each in threads:
            merges.append(each)
        for user in users(each):
            if user not in seen:
                seen.add(user)
                waiting.append(user)
    conditions = {switch.inputs[1] for switch in switches}
    if len(merges) != 1 or len(conditions) != 1 or len(switches) != len(tensors):
        return operation, None, tensors
    # The second output of a Switch is that of the branch for True.
    if any(tensor.value_index != 1 for tensor in tensors):
        return operation, None, tensors
    return merges[0], conditions.pop(), [switch.inputs[0] for switch in switches]


def _are_alike(one: Enqueue, other: Enqueue) -> bool:
    """Returns whether two enqueues compute the same from sources of the same kind, which have the same queue."""
    if (one.many, len(one.tensors), one.condition is None) != (other.many, len(other.tensors), other.condition is None):
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
    return [_constant(each) for each in _counts(one)] == [_constant(each) for each in _counts(other)]


def _options(reader: Operation) -> Any:
    return [pair for pair in attributes_of(reader) if pair[0] not in ("shared_name", "container")]


def _counts(operation: Operation) -> List[Tensor]:
    return list(operation.inputs)[2 if is_read(operation) else 1:]


def _constant(tensor: Tensor) -> Any:
    value = tf.get_static_value(tensor)
    return tensor.name if value is None else int(value)


def count_of(operation: Operation) -> Optional[int]:
    """Returns how many elements a dequeue or read takes at once; None: one, without a batch dimension; -1: unknown."""
    counts = _counts(operation)
    if not counts:
        return None
    value = tf.get_static_value(counts[0])
    return -1 if value is None else int(value)
