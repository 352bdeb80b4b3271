"""LD504: operations that prepare examples are placed on a GPU."""
from typing import Iterator

from legacy_towers.doctor.registry import WARNING, check
from legacy_towers.doctor.subject import Evidence, Subject


@check("LD504", "inputs-on-gpu", WARNING, """
Operations that read, decode or prepare the examples of a queue are under `tf.device("/gpu:...")`. Those that have no
kernel for GPUs fail there, or run on the CPU by soft placement; the others take the GPU's time and memory from the
model, and each example is copied there and back.

Build the input pipeline under `with tf.device("/cpu:0"):`, before the loop over the towers.
""")
def inputs_on_gpu(subject: Subject) -> Iterator[Evidence]:
    found = {
        operation for queue in subject.queues.queues.values() for enqueue in queue.enqueues
        for operation in enqueue.part.operations
        if operation.type != "Const" and subject.device_of(operation).startswith("/gpu")
    }
    if found:
        first = min(found, key=lambda each: each.name)
        more = " and {} more".format(len(found) - 1) if len(found) > 1 else ""
        yield subject.evidence(
            first, "operations that prepare examples for queues are placed on {}: {!r}{}".format(
                subject.device_of(first), first.name, more),
            "build the input pipeline under tf.device('/cpu:0')",
        )
