"""LD508: the same large value is fed in each step."""
from typing import Iterator

from legacy_towers.doctor.registry import WARNING, check
from legacy_towers.doctor.subject import Evidence, Subject

# Training steps that must have fed the tensor.
STEPS = 8


@check("LD508", "repeated-feed", WARNING, """
Each training step feeds the same value of a megabyte or more, such as a matrix of embeddings, an adjacency matrix or a
batch that never changes. It is copied to the device in each step.

Hold it in a variable that is not trained, `tf.get_variable(name, initializer=value, trainable=False)` (a placeholder
as the initializer keeps large values out of the graph), and read the variable. If it is a batch of examples, the loop
trains on one batch only.
""")
def repeated_feed(subject: Subject) -> Iterator[Evidence]:
    if subject.observed is None:
        return
    for name, feed in sorted(subject.observed.feeds.items()):
        if feed.runs >= STEPS and feed.repeated == feed.runs - 1:
            yield subject.evidence(
                feed.tensor.op,
                "each of {} steps feeds the same {:.1f} MB to {!r}".format(feed.runs, feed.size / 1e6, name),
                "hold it in a variable that is not trained",
            )
