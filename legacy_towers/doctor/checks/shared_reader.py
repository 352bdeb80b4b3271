"""LD310: one reader reads the files of several queues, such as those for training and for testing."""
from typing import Dict, FrozenSet, Iterator, List

from legacy_towers.compat import tf
from legacy_towers.doctor.registry import ERROR, check
from legacy_towers.doctor.subject import Evidence, Subject
from legacy_towers.migrate.conversion.operations import (
    files_of,
    is_read,
    reads_one_record_per_file,
    store_of,
    users_of,
)
from legacy_towers.tensor_types import Operation

_RESETS = ("ReaderReset", "ReaderResetV2")


@check("LD310", "shared-reader", ERROR, """
One reader, such as `self.reader`, reads from `train_queue` and from `test_queue`. A reader has one file open. It
reads this file to its end, whichever queue is passed, and takes the next name from the queue of the call that
happens to need one. Examples for training are then read from the files for testing, and the other way round.

Make a reader for each queue: `tf.TFRecordReader().read(train_queue)`, `tf.TFRecordReader().read(test_queue)`.
`WholeFileReader` and `IdentityReader`, which open no file, are not reported, and neither are queues of the same files,
readers that the script resets, and calls that no queue runners run at the same time.
""")
def shared_reader(subject: Subject) -> Iterator[Evidence]:
    for reader, reads in _reads_by_threads(subject).items():
        queues: Dict[Operation, Operation] = {}
        for read in reads:
            queues.setdefault(files_of(read), read)
        if len(queues) < 2 or reads_one_record_per_file(reader):
            continue
        if any(each.type in _RESETS for each in users_of(reader)):
            continue
        names = [_names_in(subject, queue) for queue in queues]
        if names[0] and all(each == names[0] for each in names):
            continue
        first, second = list(queues.items())[:2]
        yield subject.evidence(
            second[1],
            "it reads the files of {!r} by the reader of {!r}, which reads those of {!r}: each gets examples from the "
            "files of both".format(second[0].name, first[1].name, first[0].name),
            "make a reader for each queue",
        )


def _reads_by_threads(subject: Subject) -> Dict[Operation, List[Operation]]:
    """Returns reader -> the operations that read with it and that threads of queue runners run."""
    found: Dict[Operation, List[Operation]] = {}
    ran = None
    if subject.observed is not None and subject.observed.runs:
        ran = subject.observed.all_ran()
    for queue in subject.queues.queues.values():
        for enqueue in queue.enqueues:
            if not enqueue.threads or ran is not None and enqueue.operation not in ran:
                continue
            for source in enqueue.part.sources:
                reads = found.setdefault(store_of(source), []) if is_read(source) else []
                if source not in reads:
                    reads.append(source)
    return found


def _names_in(subject: Subject, queue: Operation) -> FrozenSet[bytes]:
    """Returns the constant strings among what fills a queue; empty if there are none."""
    found = set()
    made = subject.queues.queues.get(queue)
    for enqueue in made.enqueues if made is not None else ():
        for operation in enqueue.part.operations:
            if operation.type == "Const" and operation.outputs[0].dtype == tf.string:
                found.update(tf.make_ndarray(operation.get_attr("value")).ravel().tolist())
    return frozenset(found)
