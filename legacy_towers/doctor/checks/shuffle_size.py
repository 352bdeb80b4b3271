"""LD301: a shuffling queue that keeps less than a batch to choose from."""
from typing import Iterator

from legacy_towers.doctor.checks.sources import is_shuffled_by_example
from legacy_towers.doctor.registry import WARNING, check
from legacy_towers.doctor.subject import Evidence, Subject
from legacy_towers.migrate.conversion.queue_graph import SHUFFLE


@check("LD301", "small-shuffle", WARNING, """
A RandomShuffleQueue keeps at least `min_after_dequeue` examples to choose the next ones from. If that is less than a
batch, an example moves by about a batch at most: files that are sorted by class give batches of one or two classes.

Set `min_after_dequeue` to the number of examples of many batches, a tenth of all for instance, and `capacity` a few
batches above it. It is not reported where the examples come in random order already, as from
`tf.train.slice_input_producer`.
""")
def small_shuffle(subject: Subject) -> Iterator[Evidence]:
    for queue in subject.queues.queues.values():
        batch = subject.queue_batch(queue)
        if queue.kind != SHUFFLE or not queue.dequeues or not batch:
            continue
        least = queue.operation.get_attr("min_after_dequeue")
        if least < batch and not is_shuffled_by_example(subject.queues, queue):
            yield subject.evidence(
                queue.operation,
                "min_after_dequeue is {} and the batch size is {}: the queue hardly shuffles".format(least, batch),
                "set min_after_dequeue to the number of examples of many batches, and capacity a few batches above it",
            )
