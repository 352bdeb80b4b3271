"""LD402: sessions that are not closed."""
from typing import Iterator

from legacy_towers.doctor.registry import WARNING, check
from legacy_towers.doctor.subject import Evidence, Subject

# Sessions of one line that are open at one time; one or two are those of a script with a training and a test graph.
OPEN = 4


@check("LD402", "open-sessions", WARNING, """
One line of the script creates session after session and closes none. Each one keeps its threads, its variables and, on
a GPU, its memory.

Use `with tf.Session() as sess:`, or call `sess.close()`; or create one session and use it again.
""")
def open_sessions(subject: Subject) -> Iterator[Evidence]:
    if subject.observed is None:
        return
    for line, count in subject.observed.most_open.items():
        if line and count >= OPEN:
            yield Evidence("", line, "it creates sessions that are not closed: {} were open at one time".format(count),
                           "use `with tf.Session() as sess:`")
