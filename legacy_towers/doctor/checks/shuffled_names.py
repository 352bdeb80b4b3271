"""LD308: only the names of the files are shuffled."""
from typing import Iterator

from legacy_towers.doctor.checks.sources import has_random_order, ordering_queues, reads_before
from legacy_towers.doctor.registry import WARNING, check
from legacy_towers.doctor.subject import Evidence, Subject
from legacy_towers.migrate.conversion.operations import handle_of

_WHOLE_FILES = ("WholeFileReader", "WholeFileReaderV2")


@check("LD308", "shuffled-names-only", WARNING, """
`tf.train.string_input_producer(shuffle=True)` shuffles the names of the files, and one reader then gives the examples
of each file in their order to a queue that keeps it: the model trains on the same sequences in every epoch.

Use `tf.train.shuffle_batch` in place of `tf.train.batch`. If the order within files is intended, pass `shuffle=False`
to the producer, or ignore this check. Queues that a PriorityQueue sorts are not reported.
""")
def shuffled_names_only(subject: Subject) -> Iterator[Evidence]:
    for queue in subject.queues.queues.values():
        if subject.trained.isdisjoint(queue.dequeues) or ordering_queues(subject.queues, queue):
            continue
        reads = reads_before(subject.queues, queue)
        readers = {handle_of(read.inputs[0]) for read in reads}
        if len(readers) != 1 or readers.pop().type in _WHOLE_FILES:
            continue
        if has_random_order(subject.queues.queue_of(reads[0])):
            yield subject.evidence(
                queue.operation,
                "only the names of the files are shuffled: each file is read in its order",
                "use tf.train.shuffle_batch in place of tf.train.batch",
            )
