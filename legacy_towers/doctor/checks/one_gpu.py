"""LD506: all towers are on one GPU."""
from typing import Iterator

from legacy_towers.doctor.registry import WARNING, check
from legacy_towers.doctor.replicas import replica_operations
from legacy_towers.doctor.subject import Evidence, Subject
from legacy_towers.text.names import listed


@check("LD506", "towers-on-one-gpu", WARNING, """
Every tower names the same GPU: a constant where the loop's index was meant, `tf.device("/gpu:0")` inside the loop, or
an outer `tf.device` that completes the device of an inner one. The other GPUs do nothing, and the towers
share the memory of one.

Write `with tf.device("/gpu:%d" % i):` around each tower.
""")
def towers_on_one_gpu(subject: Subject) -> Iterator[Evidence]:
    towers = replica_operations(subject.trained)
    devices = {
        tower: {subject.device_of(each) for each in operations} for tower, operations in towers.items()
    }
    gpus = {tower: {each for each in found if each.startswith("/gpu")} for tower, found in devices.items()}
    if len(towers) > 1 and all(len(each) == 1 for each in gpus.values()) and len(set.union(*gpus.values())) == 1:
        first = sorted(towers)[1]
        device = next(iter(gpus[first]))
        on_gpu = min(
            (each for each in towers[first] if subject.device_of(each) == device), key=lambda each: each.name
        )
        yield subject.evidence(
            on_gpu, "{} are all placed on {}".format(listed(sorted(towers)), device),
            "give tower i the device '/gpu:%d' % i",
        )
