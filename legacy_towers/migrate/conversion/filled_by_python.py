"""Queues that Python code fills by `session.run`: they stay, and datasets take elements from them.

    thread: session.run(enqueue, feed_dict) --> queue --> [dequeue --> decode --> shuffle --> batch --> prefetch]
                                                          a dataset, which ends when the queue is closed
"""
from typing import Any, Optional, Sequence

from legacy_towers.compat import tf
from legacy_towers.compat.versions.data import prefetched
from legacy_towers.migrate.conversion.flows import Flow
from legacy_towers.migrate.conversion.operations import is_dequeue
from legacy_towers.migrate.conversion.plans import Refused
from legacy_towers.tensor_types import Dataset, Operation

_FILLS = "Python code fills {!r}"


def dequeued(queue: Any, source: Operation, count: Optional[int]) -> Flow:
    """Returns the flow of what a queue gives that Python code fills.

    Args:
      queue: the `Queue`.
      source: a dequeue, or a read operation that takes the names of its files from the queue.
      count: how many elements the dequeue takes at once; None: one.

    Raises:
      Refused: datasets can't take from it.
    """
    handle = queue.operation.outputs[0]
    if handle.dtype != tf.resource:
        raise Refused("Python code fills it, and its operation is of TensorFlow before 1.0", queue.operation)
    if queue.others:
        raise Refused("{} uses {!r}".format(queue.others[0].type, queue.name), queue.others[0])
    kind, shapes = "QueueDequeueV2", queue.shapes
    if is_dequeue(source):
        kind, shapes = source.type, [each.shape for each in source.outputs]
    arguments = {} if count is None else {"n": count}

    # TensorFlow's own operation: padding, shuffling and the end are those of the queue.
    def take(_: Any) -> Any:
        given = getattr(tf.raw_ops, kind)(handle=handle, component_types=queue.dtypes, timeout_ms=-1, **arguments)
        for tensor, shape in zip(given, shapes or ()):
            tensor.set_shape(shape)
        return tuple(given)

    # A legacy function: OutOfRangeError of the closed queue ends the dataset, others make an error of it.
    turns = tf.data.Dataset.range(tf.int64.max)
    name = {"QueueDequeueManyV2": "dequeue_many({})", "QueueDequeueUpToV2": "dequeue_up_to({})"}.get(kind, "dequeue()")
    return Flow(
        turns.map_with_legacy_function(tf.autograph.experimental.do_not_convert(take)),
        ("{} of {!r}, which Python code fills".format(name.format(count), queue.name),),
        ("{!r} shuffles".format(queue.name),) if queue.shuffles else (),
        filled=(queue.operation,),
    )


def room(queue: Any, count: Optional[int]) -> int:
    """Returns how many reads of `count` elements have at least the room that a queue had, beside those it shuffles.

    Python code may put in as many elements before the first one is read as all queues had room for.

    Raises:
      Refused: it has room for any number of elements.
    """
    if queue.capacity < 1:
        raise Refused("its capacity is unlimited, and Python code may fill it before the first dequeue",
                      queue.operation)
    return 1 + -(-max(1, queue.capacity - queue.min_after_dequeue) // (count or 1))


def with_room(flow: Flow, size: int) -> Flow:
    """Returns a flow that takes ahead as many elements as a queue between two others had room for."""
    return flow.then(prefetched(flow.dataset, size), "prefetch({})".format(size))


def with_first_element(flow: Flow, problem: Operation) -> Dataset:
    """Returns the dataset of a flow, with zeros as its first element.

    Who reads that first element starts what computes ahead, as queue runners do when they start; and does not wait for
    Python code to fill the queue.
    """
    zeros = []
    for dtype, shape in zip(tf.data.get_output_types(flow.dataset), tf.data.get_output_shapes(flow.dataset)):
        if dtype in (tf.variant, tf.resource):
            raise Refused("{}, with elements of dtype {}".format(_names(flow.filled), dtype.name), problem)
        sizes = [] if shape.rank is None else [each or 0 for each in shape.as_list()]
        zeros.append(tf.zeros([0] + sizes[1:] if sizes else [], dtype))
    return tf.data.Dataset.from_tensors(tuple(zeros)).concatenate(flow.dataset)


def note(filled: Sequence[Operation]) -> str:
    """Returns what becomes of the code that fills some queues, as a sentence."""
    return "{} as before; tf.data dequeues from it until it is closed or the coordinator stops".format(
        _names(filled)
    )


def _names(filled: Sequence[Operation]) -> str:
    return " and ".join(_FILLS.format(each.name) for each in filled)
