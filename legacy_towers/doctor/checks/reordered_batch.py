"""LD105: several towers train on the same batch in another order."""
from typing import Iterator

from legacy_towers.doctor.registry import ERROR, check
from legacy_towers.doctor.subject import Evidence, Subject
from legacy_towers.doctor.tower_inputs import is_reordered
from legacy_towers.text.names import listed


@check("LD105", "reordered-batch", ERROR, """
Several towers train on the same examples, which some of them shuffle, reverse or roll first. The order of the
examples within a batch has no influence on their mean gradient, so the other towers add no examples.

Read a batch in each tower, or give tower `i` a part of its own: `tf.split(images, towers)[i]`.
""")
def reordered_batch(subject: Subject) -> Iterator[Evidence]:
    towers, found = subject.shared_batches
    for shared in found:
        if not shared.partly and is_reordered(subject, shared):
            yield Evidence(
                shared.operation, shared.line,
                "{} train on the same examples in different orders: the other towers add no examples".format(
                    listed([towers[index].name for index in shared.towers])),
                "read a batch in each tower, or give tower k tf.split(batch, {})[k]".format(len(towers)),
            )
