"""LD302: a queue that holds less than a batch."""
from typing import Iterator

from legacy_towers.doctor.registry import WARNING, check
from legacy_towers.doctor.subject import Evidence, Subject


@check("LD302", "small-capacity", WARNING, """
The queue holds fewer elements than one batch has, so nothing is read ahead: each step waits until its threads have
made most of the batch. (This is not an error: `dequeue_many` collects the elements one by one as they are enqueued.)

Set `capacity` to several batches.
""")
def small_capacity(subject: Subject) -> Iterator[Evidence]:
    for queue in subject.queues.queues.values():
        batch = subject.queue_batch(queue)
        if queue.enqueues and 0 <= queue.capacity < batch:
            yield subject.evidence(
                queue.operation,
                "its capacity is {} and the batch size is {}: nothing is read ahead".format(queue.capacity, batch),
                "set capacity to several batches",
            )
