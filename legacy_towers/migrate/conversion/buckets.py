"""Queues among which one queue runner deals out examples, and which fill another queue with batches of theirs.

As `tf.contrib.training.bucket` and `bucket_by_sequence_length` make them:

                 number == 0:  queue 0 --> dequeue_many --+
    examples --> number == 1:  queue 1 --> dequeue_many --+--> queue
                 number == 2:  queue 2 --> dequeue_many --+

A dataset groups the examples by their number, so that it reads them once for all of the queues.
"""
from typing import Any, Dict, List, NamedTuple, Optional, Sequence, Tuple

from legacy_towers.compat import tf
from legacy_towers.compat.versions.data import group_by_window
from legacy_towers.migrate.conversion import queue_graph
from legacy_towers.migrate.conversion.cut import cut
from legacy_towers.migrate.conversion.enqueues import Enqueue, before_switches
from legacy_towers.migrate.conversion.flows import Flow
from legacy_towers.migrate.conversion.operations import Condition, count_of, is_dequeue, is_source
from legacy_towers.migrate.conversion.plans import Refused
from legacy_towers.migrate.conversion.queue_graph import Queue, QueueGraph
from legacy_towers.tensor_types import Dataset, Operation, Tensor

Groups = Dict[Operation, List[List[Enqueue]]]


class Buckets(NamedTuple):
    """The queues that fill another one.

    Attributes:
      queues: these queues, one for each number.
      enqueue: what puts an example into one of them; its last tensor is the number of the example.
      numbers: the number of each queue's examples.
      sizes: how many examples are taken from each queue at once.
      exact: whether a smaller batch at the end is left out.
      components: for each component of the queue that they fill: which component of theirs it is, or its value for each
        of the queues.
    """

    queues: Tuple[Queue, ...]
    enqueue: Enqueue
    numbers: Tuple[int, ...]
    sizes: Tuple[int, ...]
    exact: bool
    components: Tuple[Any, ...]

    def grouped(self, flow: Flow, name: str) -> Flow:
        """Returns the flow of what the other queue, which has a `name`, holds, from the flow of `enqueue`."""
        numbers = tf.constant(self.numbers, self.enqueue.tensors[-1].dtype.base_dtype)
        # A size that is known is static in the shapes of batches.
        size = self.sizes[0] if len(set(self.sizes)) == 1 else None
        padded = tuple(self.queues[0].shapes or ()) + (tf.TensorShape([]),)

        def place(number: Tensor) -> Tensor:
            """Returns the place of a number among `numbers`; their count, if it is none of them."""
            equal = tf.concat([tf.equal(numbers, number), [True]], 0)
            return tf.argmax(tf.cast(equal, tf.int32), output_type=tf.int64)

        def key(*values: Tensor) -> Tensor:
            return place(values[-1])

        def size_at(position: Tensor) -> Tensor:
            return tf.gather(tf.constant(self.sizes + (1,), tf.int64), position)

        def batch(position: Tensor, examples: Dataset) -> Dataset:
            count = size_at(position) if size is None else size
            if self.queues[0].kind == queue_graph.PADDING:
                batches = examples.padded_batch(count, padded, drop_remainder=self.exact)
            else:
                batches = examples.batch(count, self.exact)
            # Examples of another number are in no queue.
            return batches.take(tf.where(position < len(self.numbers), tf.constant(-1, tf.int64), 0))

        def components(*values: Tensor) -> Any:
            position = place(values[-1][0])
            return tuple(
                values[each] if isinstance(each, int) else tf.gather(tf.stack(list(each)), position)
                for each in self.components
            )

        grouped = group_by_window(flow.dataset, _plain(key), _plain(batch), _plain(size_at))
        sizes = str(size) if size is not None else "{} to {}".format(min(self.sizes), max(self.sizes))
        return flow.then(
            grouped.map(_plain(components)),
            "group_by_window({} queues, batch({}))".format(len(self.queues), sizes),
            "{} operations fill {!r}".format(len(self.queues), name),
        )


def find_buckets(queues: QueueGraph, groups: Groups) -> Dict[Operation, Buckets]:
    """Returns queue -> the queues that fill it with batches, where one queue runner deals out the examples of these.

    Args:
      queues: the queues of a graph.
      groups: queue -> its enqueues, those together that compute the same.
    """
    found = {}
    for queue in queues.queues.values():
        buckets = _buckets_of(queue, queues, groups)
        if buckets is not None:
            found[queue.operation] = buckets
    return found


def _buckets_of(queue: Queue, queues: QueueGraph, groups: Groups) -> Optional[Buckets]:
    batches = [group[0] for group in groups[queue.operation]]
    if len(batches) < 2 or len(batches) != len(queue.enqueues):
        return None
    taken = [each for each in (_only_dequeue(each, queues) for each in batches) if each is not None]
    if len(taken) < len(batches):
        return None
    buckets = [queues.queue_of(each) for each in taken]
    counts = [count or 0 for count in (count_of(each) for each in taken)]
    if len(set(buckets)) < len(buckets) or len({each.type for each in taken}) > 1 or min(counts) < 1:
        return None
    if any(len(each.enqueues) != 1 or each.dequeues != [taken[number]] or each.others or
           each.operation in queues.lost for number, each in enumerate(buckets)):
        return None
    if {each.kind for each in buckets} not in ({queue_graph.FIFO}, {queue_graph.PADDING}):
        return None
    dealt = _dealt([each.enqueues[0] for each in buckets])
    components = _components(batches, taken)
    if dealt is None or components is None:
        return None
    return Buckets(tuple(buckets), dealt[0], dealt[1], tuple(counts), "UpTo" not in taken[0].type, components)


def _only_dequeue(enqueue: Enqueue, queues: QueueGraph) -> Optional[Operation]:
    """Returns the dequeue whose elements an enqueue puts into a queue, beside constants; None: it does other things."""
    part = enqueue.part
    if enqueue.many or enqueue.conditions or len(part.sources) != 1 or not is_dequeue(part.sources[0]):
        return None
    if any(each.type != "Const" for each in part.operations):
        return None
    try:
        queues.queue_of(part.sources[0])
    except Refused:
        return None
    return part.sources[0]


def _components(batches: Sequence[Enqueue], taken: Sequence[Operation]) -> Optional[Tuple[Any, ...]]:
    found: List[Any] = []
    for tensors in zip(*[each.tensors for each in batches]):
        places = {tensor.value_index if tensor.op is source else None for tensor, source in zip(tensors, taken)}
        if len(places) > 1:
            return None
        values = tuple(tf.get_static_value(tensor) for tensor in tensors)
        place = places.pop()
        if place is None and (any(each is None for each in values) or len({each.shape for each in values}) > 1):
            return None
        found.append(values if place is None else place)
    return tuple(found)


def _dealt(enqueues: Sequence[Enqueue]) -> Optional[Tuple[Enqueue, Tuple[int, ...]]]:
    """Returns an enqueue that stands for all, with the number that decides as last tensor, and the number of each."""
    first = enqueues[0]
    if any(each.operation is not first.operation or each.many or not each.conditions or each.sometimes
           for each in enqueues):
        return None
    if any(list(each.tensors) != list(first.tensors) or each.conditions[:-1] != first.conditions[:-1]
           or set(each.part.sources) != set(first.part.sources) for each in enqueues):
        return None
    compared = [_compared(each.conditions) for each in enqueues]
    numbers = [each[1] for each in compared if each is not None]
    if len(numbers) < len(enqueues) or len(set(numbers)) < len(numbers) or len({each[0].name for each in compared}) > 1:
        return None
    tensors = first.tensors + (compared[0][0],)
    outer = first.conditions[:-1]
    part = cut(list(tensors) + [each.predicate for each in outer], is_source)
    if set(part.sources) != set(first.part.sources):
        return None
    return first._replace(tensors=tensors, conditions=outer, part=part), tuple(numbers)


def _compared(conditions: Sequence[Condition]) -> Any:
    """Returns the scalar that the innermost condition compares with an integer, and that integer."""
    last = conditions[-1]
    operation = before_switches(last.predicate, conditions[:-1]).op
    while operation.type == "Identity":
        operation = before_switches(operation.inputs[0], conditions[:-1]).op
    if not last.holds or operation.type != "Equal":
        return None
    value = tf.get_static_value(operation.inputs[1])
    number = before_switches(operation.inputs[0], conditions[:-1])
    if value is None or not number.dtype.is_integer or value.shape != () or number.shape.rank != 0:
        return None
    return number, int(value)


def _plain(function: Any) -> Any:
    return tf.autograph.experimental.do_not_convert(function)
