"""LD102: several towers train on images of their own and on the same labels."""
from typing import Iterator

from legacy_towers.compat.versions.tracebacks import user_line
from legacy_towers.doctor.registry import ERROR, check
from legacy_towers.doctor.subject import Evidence, Subject
from legacy_towers.doctor.tower_inputs import shared_labels
from legacy_towers.text.names import listed


@check("LD102", "same-labels", ERROR, """
Several towers read examples of their own, such as images, and all use the same labels with them: most towers train on
labels of other examples. The usual reason is a split of the images that the labels were left out of, or labels that
are dequeued once, before `for i in range(towers):`.

Split both, `tf.split(images, towers)[i]` and `tf.split(labels, towers)[i]`, or read images and labels by one
operation in each tower.
""")
def same_labels(subject: Subject) -> Iterator[Evidence]:
    towers, found = subject.shared_batches
    remedy = "split images and labels alike, or read both by one operation in each tower"
    reported = set()
    for shared in found:
        if shared.partly:
            reported.add(shared.operation)
            names = [towers[index].name for index in shared.towers]
            yield Evidence(
                shared.operation, shared.line,
                "{} read other examples of their own, and the same {} with them".format(listed(names), shared.kind),
                remedy,
            )
    reported.update(each.operation for each in found)
    for operation, names in shared_labels(subject):
        if operation.name not in reported:
            yield Evidence(
                operation.name, user_line(operation),
                "{} have examples of their own, and the same labels for them".format(listed(names)), remedy,
            )
