"""What is expected of the scripts that read files by a reader: script -> queue or reader -> its promise.

A promise is SAME_SEQUENCE, SAME_SET, or `refused("a part of the reason")`.
"""
from migrate.corpus.expected import SAME_SEQUENCE, SAME_SET

EXPECTED = {
    "cifar10_train": {"shuffle_batch/random_shuffle_queue": SAME_SET},
    "fully_connected_reader": {"input/shuffle_batch/random_shuffle_queue": SAME_SET},
    "inception_validation_records": {
        "batch_processing/ReaderReadV2": SAME_SEQUENCE,  # computes boxes, which nothing reads
        "batch_processing/batch/fifo_queue": SAME_SEQUENCE,
    },
}
