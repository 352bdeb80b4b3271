"""LD509: a Python thread fills a queue, and its error would not be noticed."""
from typing import Iterator

from legacy_towers.doctor.registry import WARNING, check
from legacy_towers.doctor.subject import Evidence, Subject


@check("LD509", "unwatched-thread", WARNING, """
A Python thread of the script fills a queue by session runs. An error in it, such as a file that can't be read, ends
only that thread, with a traceback in the middle of the log: the training step then waits for the queue forever.

Run the body of the thread under `with coord.stop_on_exception():`, with a `tf.train.Coordinator`, and call
`coord.join([thread])` at the end, which raises the error; or close the queue in a `finally`, so that the step ends
with OutOfRangeError. The check reads the source of the thread's functions; it does not wait for an error.
""")
def unwatched_thread(subject: Subject) -> Iterator[Evidence]:
    if subject.observed is None:
        return
    for line, is_collected in sorted(subject.observed.filling_threads.lines.items()):
        if not is_collected:
            yield Evidence(
                "", line, "a thread fills a queue here: an error in it ends the thread, and training waits forever",
                "run the thread's function under `with coord.stop_on_exception():`",
            )
