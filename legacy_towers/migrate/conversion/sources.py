"""What an operation takes its elements from: a dequeue, a read operation or a counter."""
from typing import List, Optional

from legacy_towers.compat import tf
from legacy_towers.migrate.conversion.enqueues import Enqueue
from legacy_towers.migrate.conversion.flows import Flow
from legacy_towers.migrate.conversion.operations import files_of, is_read, store_of
from legacy_towers.migrate.conversion.queue_graph import Queue
from legacy_towers.tensor_types import Operation, Tensor

# What gives the strings that it takes.
_SAME_STRINGS = ("Identity", "RandomShuffle", "Reshape")


def outputs_of(source: Operation, in_model: bool = False) -> List[Tensor]:
    """Returns the outputs of a dequeue, read operation or counter that its flow has.

    They are without the keys of records if no operation reads these; those of the model may be fetched.
    """
    if not in_model and is_read(source) and not source.outputs[0].consumers() and source.outputs[1].consumers():
        return [source.outputs[1]]
    return list(source.outputs)


def readers_like(source: Operation, group: List[Enqueue]) -> int:
    """Returns how many readers of the group's operations read the files of the same queue as `source`."""
    if not is_read(source):
        return 1
    files = files_of(source)
    return len({
        store_of(each) for enqueue in group for each in enqueue.part.sources
        if is_read(each) and files_of(each) is files
    })


def known_strings(queue: Queue) -> Optional[List[bytes]]:
    """Returns the strings that a queue may hold, such as names of files; None: they are not known before the run."""
    found: List[bytes] = []
    for enqueue in queue.enqueues:
        if enqueue.part.outside or enqueue.part.sources:
            return None
        for operation in enqueue.part.operations:
            if operation.type == "Const" and operation.outputs[0].dtype == tf.string:
                found += tf.get_static_value(operation.outputs[0]).ravel().tolist()
            elif operation.type not in _SAME_STRINGS and any(each.dtype == tf.string for each in operation.outputs):
                return None
    return found


def numbers_of(counter: Operation) -> Flow:
    """Returns the flow of a counter's numbers: scalars of its dtype, from 0 to its limit minus 1."""
    limit, dtype = counter.get_attr("limit"), counter.outputs[0].dtype.base_dtype
    of_dtype = tf.autograph.experimental.do_not_convert(lambda number: (tf.cast(number, dtype),))
    dataset = tf.data.Dataset.range(limit).map(of_dtype)
    return Flow(dataset, ("Dataset.range({})".format(limit),))
