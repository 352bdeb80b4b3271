"""What queues mix, the dataset mixes too: each epoch has the same examples."""
import numpy as np
import pytest
from queue_inputs import examples, parsed, producer, record, run_to_end, words

from legacy_towers.compat import tf
from legacy_towers.migrate import convert


def shuffled(files):
    return tf.train.shuffle_batch(
        parsed(record(files["tfrecord"])[1]), 3, 20, 5, num_threads=2, allow_smaller_final_batch=True
    )


def by_several_threads(files):
    numbers = tf.train.slice_input_producer([files["image"], list(range(6))], num_epochs=2, shuffle=True)
    return tf.train.batch(numbers, 2, num_threads=3)


def joined(files):
    names = producer(files["tfrecord"])
    examples_of_each = [parsed(tf.TFRecordReader().read(names)[1]) for _ in range(3)]
    return tf.train.shuffle_batch_join(examples_of_each, 4, 30, 8, allow_smaller_final_batch=True)


def joined_of_different_operations(files):
    names = producer(files["tfrecord"])
    first, second = [parsed(tf.TFRecordReader().read(names)[1]) for _ in range(2)]
    return tf.train.batch_join([first, [second[0] + 0, second[1]]], 2, allow_smaller_final_batch=True)


def of_two_sources(files):
    first = parsed(record(files["tfrecord"], num_epochs=1)[1])
    second = parsed(record(files["tfrecord"][:1], num_epochs=1)[1])
    return tf.train.batch_join([first, [second[0] + 1000, second[1]]], 2, allow_smaller_final_batch=True)


def kept(files):
    number = tf.train.range_input_producer(20, num_epochs=1, shuffle=False).dequeue()
    return tf.train.maybe_shuffle_batch(
        [number], 2, 50, 5, tf.equal(number % 3, 0), allow_smaller_final_batch=True
    )


def files_in_any_order(files):
    return tf.train.batch(parsed(record(files["tfrecord"], shuffle=True)[1]), 3, allow_smaller_final_batch=True)


def joined_by_one_reader_with_a_seed_of_the_graph(files):
    tf.set_random_seed(3)  # each random operation gets another seed
    number, image = parsed(record(files["tfrecord"])[1])
    threads = [[number, image + tf.cast(0 * tf.random_uniform([]), image.dtype)] for _ in range(3)]
    return tf.train.batch_join(threads, 2, allow_smaller_final_batch=True)


INPUTS = [
    shuffled, by_several_threads, joined, joined_of_different_operations, of_two_sources, kept, files_in_any_order,
    joined_by_one_reader_with_a_seed_of_the_graph,
]


@pytest.mark.parametrize("build", INPUTS, ids=lambda build: build.__name__)
def test_the_dataset_gives_the_examples_of_the_queue(build, files):
    with tf.Graph().as_default():
        fetches = build(files)
        plan = convert().plans[-1]
        assert plan.promise == "same set" and plan.reason
        converted = run_to_end(fetches)
    with tf.Graph().as_default():
        queued = run_to_end(build(files))
    assert sum(examples(queued).values()) > 5
    assert examples(converted) == examples(queued)


def test_a_seeded_shuffle_gives_the_same_order_in_each_session(files):
    with tf.Graph().as_default():
        fetches = tf.train.shuffle_batch([parsed(record(files["tfrecord"])[1])[0]], 3, 20, 5, seed=7)
        convert()
        first, second = run_to_end(fetches), run_to_end(fetches)
    assert first == second
    assert first != [[sorted(step[0])] for step in first]


def test_random_numbers_without_a_seed_are_named(files):
    with tf.Graph().as_default():
        number = tf.train.range_input_producer(6, num_epochs=1, shuffle=False).dequeue()
        batch = tf.train.batch([number, tf.random_uniform([], name="noise")], 3)
        [plan] = convert().plans
        numbers, noise = zip(*run_to_end(batch))
    assert plan.promise == "same set"
    assert plan.reason == "'noise/RandomUniform' draws random numbers without a seed"
    assert sum(numbers, []) == list(range(6)) and len(set(sum(noise, []))) == 6


def test_shuffled_examples_leave_their_place(files):
    with tf.Graph().as_default():
        number = tf.train.range_input_producer(200, num_epochs=1, shuffle=False).dequeue()
        fetches = tf.train.shuffle_batch([number], 1, 100, 50, seed=3)
        convert()
        order = [step[0][0] for step in run_to_end(fetches)]
    assert sorted(order) == list(range(200))
    # Random places in a buffer of 100: a mean distance of about 50.
    assert np.mean(np.abs(np.array(order) - np.arange(200))) > 25


def test_buckets_by_length_hold_examples_of_their_lengths(files):
    def build():
        dense = tf.sparse.to_dense(words(record(files["tfrecord"])[1]))
        noise = tf.random_uniform([], 0, 4, tf.int32)  # a length that is another one in each run
        lengths, [padded] = tf.contrib.training.bucket_by_sequence_length(
            (tf.size(dense) + noise) % 4 + 1, [dense], 3, [3], dynamic_pad=True, allow_smaller_final_batch=True
        )
        return [lengths, padded]

    with tf.Graph().as_default():
        fetches = build()
        [plan] = convert().plans
        converted = run_to_end(fetches)
    with tf.Graph().as_default():
        queued = run_to_end(build())
    assert plan.promise == "same set"
    for steps in converted, queued:
        assert all(max(lengths) < 3 or min(lengths) >= 3 for lengths, _ in steps)
        assert sum(len(lengths) for lengths, _ in steps) == 36
