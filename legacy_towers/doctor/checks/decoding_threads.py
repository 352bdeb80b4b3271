"""LD303: one thread decodes all images."""
from typing import Iterator

from legacy_towers.doctor.registry import WARNING, check
from legacy_towers.doctor.subject import Evidence, Subject

_DECODES = ("DecodeJpeg", "DecodePng", "DecodeImage", "DecodeGif", "DecodeBmp", "DecodeAndCropJpeg")


@check("LD303", "one-decoding-thread", WARNING, """
One thread of a queue runner decodes every image that the model trains on. Decoding a JPEG file takes milliseconds, and
one thread uses one core of the machine, so the step waits for it.

Pass `num_threads=4` or more to `tf.train.batch` or `tf.train.shuffle_batch`, or a list of several readers to their
`_join` variants. Both change the order of the examples.
""")
def one_decoding_thread(subject: Subject) -> Iterator[Evidence]:
    for queue in subject.queues.queues.values():
        if sum(each.threads for each in queue.enqueues) != 1 or subject.trained.isdisjoint(queue.dequeues):
            continue
        for enqueue in queue.enqueues:
            decodes = [each for each in enqueue.part.operations if each.type in _DECODES]
            if decodes:
                yield subject.evidence(
                    decodes[0],
                    "one thread decodes the images of {!r}".format(queue.name),
                    "pass num_threads=4 or more to the function that makes the batches",
                )
