"""Proofs of queues that Python code fills: both versions get the same random examples."""
from unittest import mock

import numpy as np
import pytest

from legacy_towers.compat import tf
from legacy_towers.migrate import prove
from legacy_towers.migrate.conversion import datasets, filled_by_python


def queue_of(dtype, shape, fed=None, make=tf.FIFOQueue, **options):
    queue = make(20, dtypes=[dtype], shapes=None if shape is None else [shape], name="q", **options)
    queue.enqueue([tf.placeholder(dtype, shape if fed is None else fed)])
    return queue


def of_images():
    image, label = tf.placeholder(tf.uint8, [None, 4, 4, 3]), tf.placeholder(tf.int64, [None])
    queue = tf.FIFOQueue(50, [tf.float32, tf.int64], [[4, 4, 3], []], name="q")
    queue.enqueue_many([tf.cast(image, tf.float32) / 255.0, label])
    return tf.train.batch(queue.dequeue(), 5)


def of_two_placeholders_in_turn():
    queue = queue_of(tf.int32, [2])
    queue.enqueue_many([tf.placeholder(tf.int32, [3, 2])])
    return tf.train.batch([queue.dequeue()], 4)


def of_indices():
    return tf.train.batch([tf.gather([5, 6, 7], queue_of(tf.int32, []).dequeue())], 4)


def of_strings():
    return tf.train.batch([tf.strings.length(queue_of(tf.string, []).dequeue())], 4)


def of_lists():
    return tf.train.batch([queue_of(tf.int32, [None], make=tf.PaddingFIFOQueue).dequeue()], 4, dynamic_pad=True)


def without_static_shapes():
    value = queue_of(tf.float32, None, fed=[]).dequeue()
    value.set_shape([])
    return tf.train.batch([value], 4)


def of_large_batches():
    return tf.train.batch([queue_of(tf.bool, []).dequeue()], 40)


def shuffled():
    return tf.train.shuffle_batch([queue_of(tf.float64, []).dequeue()], 4, 90, 20)


def of_a_shuffling_queue():
    queue = queue_of(tf.float32, [], make=tf.RandomShuffleQueue, min_after_dequeue=8)
    return tf.train.batch([queue.dequeue_many(5)], 4, enqueue_many=True, allow_smaller_final_batch=True)


PROVEN = [
    (of_images, "same sequence", 64), (of_two_placeholders_in_turn, "same sequence", 64),
    (of_indices, "same sequence", 64), (of_strings, "same sequence", 64), (of_lists, "same sequence", 64),
    (without_static_shapes, "same sequence", 64), (of_large_batches, "same sequence", 120),
    (shuffled, "same set", 64), (of_a_shuffling_queue, "same set", 65),
]


@pytest.mark.parametrize("build, promise, count", PROVEN, ids=[each[0].__name__ for each in PROVEN])
def test_random_examples_are_compared(build, promise, count):
    build()
    [proof] = prove(rounds=1).pipelines
    assert (proof.promise, proof.verdict, proof.reason) == (promise, "proven", "")
    assert proof.compared.endswith(", bit for bit, for {} random examples, since Python code fills 'q'".format(count))
    assert proof.speed is None and proof.batches[0] == proof.batches[1] > 0


def test_random_images_can_not_be_decoded():
    image = tf.reshape(tf.image.decode_png(queue_of(tf.string, []).dequeue(), 3), [2, 2, 3])
    tf.train.batch([image], 4)
    [proof] = prove(rounds=0).pipelines
    assert proof.verdict == "not compared"
    assert proof.reason.startswith("Python code fills 'q', and with random examples the queue fails: InvalidArgument")


def test_what_python_code_takes_from_another_queue_is_not_compared():
    queue = tf.FIFOQueue(9, [tf.int32], [[]], name="q")
    queue.enqueue([tf.train.range_input_producer(9, shuffle=False).dequeue(name="taken")])
    tf.train.batch([queue.dequeue()], 3)
    [proof] = prove(rounds=0).pipelines
    assert (proof.verdict, proof.reason) == ("not compared", "Python code fills 'q' with what it takes from 'taken'")


def test_training_steps_are_not_compared():
    value = queue_of(tf.float32, []).dequeue()
    weight = tf.get_variable("weight", [], initializer=tf.ones_initializer())
    loss = tf.reduce_mean(tf.train.batch([value], 4) * weight)
    tf.train.GradientDescentOptimizer(0.1).minimize(loss)
    training = prove(rounds=0, losses=[loss]).training
    assert (training.verdict, training.reason) == ("not compared", "Python code fills 'q'")


def test_a_conversion_that_loses_examples_is_different():
    def skipping(*arguments):
        flow = dequeued(*arguments)
        return flow.then(flow.dataset.skip(1), "planted")

    dequeued = filled_by_python.dequeued
    of_indices()
    with mock.patch.object(datasets, "dequeued", skipping):
        [proof] = prove(rounds=0).pipelines
    assert proof.verdict == "different"


def test_a_conversion_in_another_order_is_different():
    def pairs_swapped(*arguments):
        flow = dequeued(*arguments)
        swapped = flow.dataset.batch(2).map(lambda values: (values[::-1],))
        return flow.then(swapped.flat_map(lambda values: tf.data.Dataset.from_tensor_slices((values,))), "planted")

    dequeued = filled_by_python.dequeued
    without_static_shapes()
    with mock.patch.object(datasets, "dequeued", pairs_swapped):
        [proof] = prove(rounds=0).pipelines
    assert proof.verdict == "different" and proof.reason.startswith("batch 1, component 0")


def test_the_graph_and_the_random_numbers_of_the_program_stay():
    of_images()
    before, state = tf.get_default_graph().as_graph_def(), np.random.get_state()[1].tolist()
    prove(rounds=0)
    assert tf.get_default_graph().as_graph_def() == before
    assert np.random.get_state()[1].tolist() == state
