"""LD101: several towers train on the same batch."""
from typing import Iterator

from legacy_towers.doctor.registry import ERROR, check
from legacy_towers.doctor.subject import Evidence, Subject
from legacy_towers.doctor.towers import find_towers
from legacy_towers.graph.shared_batches import find_shared_batches
from legacy_towers.text.names import listed


@check("LD101", "same-batch", ERROR, """
Several towers train on the same examples. All of them compute the same gradient, whose mean is the gradient of one
tower: the step costs as much as with distinct batches, and the model learns as with one device. The usual reason is one
`get_next()`, dequeue or placeholder before the loop over the towers.

    images, labels = iterator.get_next()
    for i in range(4):
        with tf.device("/gpu:%d" % i), tf.name_scope("tower_%d" % i):
            losses.append(loss_of(images, labels))

Read a batch in each tower, or give each tower a part of one batch:

    for i in range(4):
        with tf.device("/gpu:%d" % i), tf.name_scope("tower_%d" % i):
            images, labels = iterator.get_next()
            losses.append(loss_of(images, labels))
""")
def same_batch(subject: Subject) -> Iterator[Evidence]:
    towers = find_towers(subject.operations, subject.trained)
    with subject.graph.as_default():  # where tensors are looked up; nothing is added
        found = find_shared_batches([each.losses for each in towers])
    for shared in found:
        names = [towers[index].name for index in shared.towers]
        yield Evidence(
            shared.operation, shared.line,
            "{} train on the same examples, which this {} returns: the other towers add nothing to the first".format(
                listed(names), shared.kind),
            "read a batch in each tower, or give tower k tf.split(batch, {})[k]".format(len(towers)),
        )
