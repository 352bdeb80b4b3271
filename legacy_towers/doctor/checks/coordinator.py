"""LD307: queue runners without a coordinator."""
from typing import Iterator

from legacy_towers.doctor.registry import WARNING, check
from legacy_towers.doctor.subject import Evidence, Subject


@check("LD307", "no-coordinator", WARNING, """
The queue runners were started without a coordinator. Where reading fails, in a corrupt file for instance, the thread
ends with a line in the log, and the training loop sees only a closed queue, which looks like the end of the data. At
the end of the script the threads are not stopped.

Create `coord = tf.train.Coordinator()`, pass it to `tf.train.start_queue_runners(sess, coord)`, and call
`coord.request_stop()` and `coord.join(threads)` at the end: `join` raises the error of a thread.
""")
def no_coordinator(subject: Subject) -> Iterator[Evidence]:
    if subject.observed is None or not subject.queues.runners:
        return
    for line in sorted({line for line, has_coordinator in subject.observed.starts if not has_coordinator}):
        yield Evidence(
            "", line,
            "the queue runners have no coordinator: an error in one looks like the end of the data",
            "pass a tf.train.Coordinator, and join it at the end",
        )
