"""Proofs of pipelines where the order decides which examples are batched together, or dropped."""
from unittest import mock

import pytest

from legacy_towers.compat import tf
from legacy_towers.migrate import prove
from legacy_towers.migrate.conversion.datasets import DatasetBuilder

NUMBERS = 17


def numbers(shuffle=True):
    return tf.train.range_input_producer(NUMBERS, shuffle=shuffle, name="numbers").dequeue()


def runner(queue, operations):
    tf.train.add_queue_runner(tf.train.QueueRunner(queue, operations))
    return queue


def batches_of_batches():
    """A queue of batches, of which all have four numbers: which one is dropped depends on the order."""
    inner = tf.train.shuffle_batch([numbers()], 4, 20, 6, num_threads=2)
    queue = tf.FIFOQueue(5, [tf.int32], [[4]], name="read")
    return runner(queue, [queue.enqueue([tf.reshape(inner, [4])])]).dequeue()


def sums_of_batches():
    """The order decides which numbers are added."""
    inner = tf.train.shuffle_batch([numbers()], 4, 20, 6)
    return tf.train.batch([tf.reduce_sum(inner)], 2, name="read")


def sorted_batches():
    """A PriorityQueue gives no smaller batch: which number is dropped depends on how full it is."""
    number = numbers()
    queue = tf.PriorityQueue(30, [tf.int32], [[]], name="read")
    return runner(queue, [queue.enqueue([tf.cast(number, tf.int64), number])]).dequeue_many(2)


PROVEN = [
    ("batches of a queue of batches", batches_of_batches, "queues do not shuffle, and one thread per operation"),
    ("sums of batches", sums_of_batches, "queues do not shuffle, and one thread per operation"),
    ("a PriorityQueue", sorted_batches, None),
]


@pytest.mark.parametrize("build, note", [each[1:] for each in PROVEN], ids=[each[0] for each in PROVEN])
def test_what_depends_on_the_order_is_proven_in_copies_that_fix_it(build, note):
    build()
    [proof] = prove(rounds=0).pipelines
    assert proof.verdict == "proven", proof.reason
    assert note is None or any(note in each for each in proof.notes), proof.notes


def changed(change):
    """Returns a context in which the dataset of the queue that the model reads is changed."""
    enqueued = DatasetBuilder._enqueued

    def wrong(self, queue, group):
        flow = enqueued(self, queue, group)
        return flow.then(change(flow.dataset), "planted") if queue.name.startswith("read") else flow

    return mock.patch.object(DatasetBuilder, "_enqueued", wrong)


DIFFERENT = [
    ("batches of a queue of batches", batches_of_batches, lambda batch: (batch // 2,)),
    ("sums of batches", sums_of_batches, lambda total: (total + 1,)),
    ("a PriorityQueue", sorted_batches, lambda priority, number: (priority, number + 1)),
]


@pytest.mark.parametrize("build, change", [each[1:] for each in DIFFERENT], ids=[each[0] for each in DIFFERENT])
def test_a_wrong_dataset_is_different_in_these_copies(build, change):
    build()
    with changed(lambda dataset: dataset.map(change)):
        [proof] = prove(rounds=0).pipelines
    assert proof.verdict == "different", proof
    assert "examples of the queue are not in tf.data as often" in proof.reason
