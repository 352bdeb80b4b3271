"""What fills a queue, through the queues before it."""
from typing import List, Set

from legacy_towers.migrate.conversion.operations import is_dequeue, is_read
from legacy_towers.migrate.conversion.queue_graph import PRIORITY, SHUFFLE, Queue, QueueGraph
from legacy_towers.tensor_types import Operation

_SHUFFLES = ("RandomShuffle", "RandomShuffleV2")


def reads_before(queues: QueueGraph, queue: Queue) -> List[Operation]:
    """Returns the operations of readers that fill `queue`, directly or through other queues."""
    found: List[Operation] = []
    for each in _queues_before(queues, queue):
        found += [source for enqueue in each.enqueues for source in enqueue.part.sources if is_read(source)]
    return found


def ordering_queues(queues: QueueGraph, queue: Queue) -> List[Queue]:
    """Returns the queues that shuffle or sort among `queue` and the queues of examples that fill it."""
    return [each for each in _queues_before(queues, queue) if each.kind in (SHUFFLE, PRIORITY)]


def has_random_order(queue: Queue) -> bool:
    """Returns whether what fills `queue` shuffles its elements itself, as `tf.train.input_producer` does."""
    return any(
        operation.type in _SHUFFLES for enqueue in queue.enqueues for operation in enqueue.part.operations
    )


def is_shuffled_by_example(queues: QueueGraph, queue: Queue) -> bool:
    """Returns whether examples come into `queue` in random order, by a producer or by another shuffling queue."""
    before = [each for each in _queues_before(queues, queue) if each is not queue]
    return has_random_order(queue) or any(has_random_order(each) or each.kind == SHUFFLE for each in before)


def _queues_before(queues: QueueGraph, queue: Queue) -> List[Queue]:
    """Returns `queue` and the queues of examples that fill it; the queues of file names are not among them."""
    found: List[Queue] = []
    seen: Set[Operation] = set()
    waiting = [queue]
    while waiting:
        each = waiting.pop()
        if each.operation in seen:
            continue
        seen.add(each.operation)
        found.append(each)
        for enqueue in each.enqueues:
            for source in enqueue.part.sources:
                if is_dequeue(source):
                    waiting.append(queues.queue_of(source))
    return found
