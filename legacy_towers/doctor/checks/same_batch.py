"""LD101: several towers train on the same batch."""
from typing import Iterator

from legacy_towers.doctor.registry import ERROR, check
from legacy_towers.doctor.subject import Evidence, Subject
from legacy_towers.doctor.tower_inputs import is_reordered
from legacy_towers.text.names import listed


@check("LD101", "same-batch", ERROR, """
Several towers train on the same examples. All of them compute the same gradient, whose mean is the gradient of one
tower: the step costs as much as with distinct batches, and the model learns as with one device. The usual reason is one
`images, labels = iterator.get_next()`, dequeue or placeholder before `for i in range(towers):`, whose tensors
every tower uses.

Move `iterator.get_next()` or the dequeue into the loop, so that each tower reads a batch of its own; or read one batch
for all towers and use `tf.split(images, towers)[i]` and `tf.split(labels, towers)[i]` in tower `i`.
""")
def same_batch(subject: Subject) -> Iterator[Evidence]:
    towers, found = subject.shared_batches
    for shared in found:
        if shared.partly or is_reordered(subject, shared):
            continue
        names = [towers[index].name for index in shared.towers]
        yield Evidence(
            shared.operation, shared.line,
            "{} train on the same examples, which this {} returns: the other towers add no examples".format(
                listed(names), shared.kind),
            "read a batch in each tower, or give tower k tf.split(batch, {})[k]".format(len(towers)),
        )
