"""LD305 and LD306: a queue that nothing fills, and one whose threads are not started."""
from typing import Iterator, List

from legacy_towers.doctor.registry import ERROR, check
from legacy_towers.doctor.subject import Evidence, Subject
from legacy_towers.migrate.conversion.queue_graph import Queue
from legacy_towers.tensor_types import Operation


@check("LD305", "unfilled-queue", ERROR, """
Operations dequeue from a queue into which no operation of the graph enqueues: the first run of them never ends. Or a
run that dequeues did not end (`--timeout`), and neither a queue runner nor a session run has enqueued anything.

Enqueue into it, and add a queue runner (`tf.train.add_queue_runner`) or a thread of your own that does so. A queue with
a `shared_name` is not reported, since another process may fill it.
""")
def unfilled_queue(subject: Subject) -> Iterator[Evidence]:
    for queue in subject.queues.queues.values():
        if queue.dequeues and not queue.enqueues and not queue.others and not queue.operation.get_attr("shared_name"):
            yield subject.evidence(
                queue.operation,
                "{!r} dequeues from it, and no operation enqueues into it".format(queue.dequeues[0].name),
                "enqueue into it, or remove it",
            )
            continue
        for dequeue in _waiting(subject, queue):
            yield subject.evidence(
                dequeue,
                "it takes from {!r}: no queue runner and no session run enqueued anything".format(queue.name),
                "run {!r} in a thread, or add a queue runner (tf.train.add_queue_runner) before "
                "tf.train.start_queue_runners".format(queue.enqueues[0].operation.name),
            )


def _waiting(subject: Subject, queue: Queue) -> List[Operation]:
    """Returns the dequeues of a run that did not end, if the queue has no runner and no run has enqueued into it."""
    observed = subject.observed
    if observed is None or observed.unended is None or not queue.enqueues or queue.others:
        return []
    if queue.operation.get_attr("shared_name") or any(each.threads for each in queue.enqueues):
        return []
    if not observed.all_ran().isdisjoint(each.operation for each in queue.enqueues):
        return []
    needed = observed.ran(observed.unended)
    return [each for each in queue.dequeues if each in needed]


@check("LD306", "unstarted-queue-runners", ERROR, """
A run of the script dequeues from a queue whose queue runners were never started, so it never ends.

Call `tf.train.start_queue_runners(sess, coord)` before the first step; MonitoredTrainingSession and Supervisor do so
themselves.
""")
def unstarted_queue_runners(subject: Subject) -> Iterator[Evidence]:
    if subject.observed is None or not subject.observed.runs:
        return
    ran = subject.observed.all_ran()
    for queue in subject.queues.queues.values():
        taking = [each for each in queue.dequeues if each in ran]
        by_runners = [each.operation for each in queue.enqueues if each.threads]
        if taking and by_runners and ran.isdisjoint(each.operation for each in queue.enqueues):
            yield subject.evidence(
                taking[0],
                "it dequeues from {!r}, whose queue runners are not started: the run waits forever".format(queue.name),
                "call tf.train.start_queue_runners(sess, coord) before the first step",
            )
