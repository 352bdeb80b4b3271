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


def kept_in_two_ways(files):
    number = tf.train.range_input_producer(20, num_epochs=1, shuffle=False).dequeue()
    return tf.contrib.training.bucket(
        [number], number % 2, 2, 2, keep_input=number > 4, allow_smaller_final_batch=True
    )[1]


def computed_in_a_branch(files):
    number = tf.train.range_input_producer(20, num_epochs=1, shuffle=False).dequeue()
    queue = tf.FIFOQueue(9, [tf.int32, tf.string], [[2], []])

    def put():
        return tf.cond(
            number < 15, lambda: queue.enqueue([tf.stack([number, number * 2]), tf.as_string(number)]), tf.no_op
        )

    tf.train.add_queue_runner(tf.train.QueueRunner(queue, [tf.cond(tf.equal(number % 2, 0), tf.no_op, put)] * 2))
    return [each[None] for each in queue.dequeue()]


def with_operations_that_differ_by_thread(files):
    serialized = record(files["tfrecord"])[1]
    return tf.train.batch_join(
        [[parsed(serialized)[0] + 1000 * thread * tf.constant(0, tf.int64)] for thread in range(2)], 3,
        allow_smaller_final_batch=True,
    )


def of_one_reader_of_the_files_of_two_queues(files):
    reader = tf.WholeFileReader()
    names = [tf.train.string_input_producer(part, num_epochs=2, shuffle=False) for part in (
        files["image"][:3], files["image"][3:]
    )]
    (key, first), (_, second) = [reader.read(each) for each in names]
    return tf.train.shuffle_batch([key, first, second], 2, 20, 4, allow_smaller_final_batch=True)


def by_priority(files):
    number = tf.train.range_input_producer(20, num_epochs=1, shuffle=False).dequeue()
    queue = tf.PriorityQueue(8, [tf.int32, tf.string], [[2], []])
    priority = tf.cast(number * 7 % 10, tf.int64)
    enqueue = queue.enqueue([priority, tf.stack([number, number]), tf.as_string(number)])
    tf.train.add_queue_runner(tf.train.QueueRunner(queue, [enqueue]))
    return queue.dequeue_many(2)


INPUTS = [
    by_priority,
    kept_in_two_ways, computed_in_a_branch, with_operations_that_differ_by_thread,
    of_one_reader_of_the_files_of_two_queues,
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


def test_the_operations_that_fill_a_queue_are_counted_once(files):
    names = producer(files["tfrecord"])
    first, second, third = [parsed(tf.TFRecordReader().read(names)[1]) for _ in range(3)]
    tf.train.batch_join([first, second, [third[0] + 0, third[1]]], 2)
    plan = convert().plans[0]
    fill = [each for each in plan.reason.split("; ") if " fill " in each]
    assert fill == ["3 operations fill 'batch_join/fifo_queue'"]


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


def numbered(smaller, **arguments):
    """Returns buckets of the numbers below 40 by their remainder, with sizes of batches that differ."""
    number = tf.train.range_input_producer(40, num_epochs=1, shuffle=False).dequeue()
    buckets, [numbers, padded] = tf.contrib.training.bucket(
        [number, tf.fill([number % 5 + 1], number)], number % 4, [2, 3, 4], 3, dynamic_pad=True, keep_input=number > 4,
        allow_smaller_final_batch=smaller, **arguments
    )
    return [buckets, numbers, padded]


@pytest.mark.parametrize("smaller", [False, True], ids=["whole batches", "a smaller batch at the end"])
def test_each_bucket_holds_its_examples_in_their_order(smaller):
    with tf.Graph().as_default():
        fetches = numbered(smaller)
        [plan] = convert().plans
        found = run_to_end(fetches)
    # One dataset reads each example once, and no number has the remainder 3 in a bucket.
    assert "group_by_window(3 queues, batch(2 to 4))" in plan.steps
    for bucket, size in enumerate([2, 3, 4]):
        members = [number for number in range(5, 40) if number % 4 == bucket]
        batches = [members[start : start + size] for start in range(0, len(members), size)]
        expected = [each for each in batches if smaller or len(each) == size]
        assert [list(numbers) for which, numbers, _ in found if which == bucket] == expected
    for _, numbers, padded in found:
        rows = [[number] * (number % 5 + 1) for number in numbers]
        width = max(len(row) for row in rows)
        assert [list(row) for row in padded] == [row + [0] * (width - len(row)) for row in rows]


def two_queues_of_one_read(files):
    number = tf.train.range_input_producer(30, num_epochs=1, shuffle=False).dequeue()
    return [tf.train.batch([number], 1, capacity=4), tf.train.batch([number * 1], 1, capacity=4, name="other")]


def two_reads_of_one_queue(files):
    queue = tf.train.range_input_producer(30, num_epochs=1, shuffle=False)
    return [tf.train.batch([queue.dequeue()], 1, capacity=4), tf.train.batch([queue.dequeue()], 1, capacity=4)]


def a_queue_and_the_model(files):
    queue = tf.train.range_input_producer(30, num_epochs=1, shuffle=False)
    return [tf.train.batch([queue.dequeue()], 1, capacity=4), queue.dequeue_many(1)]


def two_reads_by_one_reader(files):
    reader = tf.TextLineReader(skip_header_lines=1)
    names = producer(files["csv"])
    reads = [tf.decode_csv(reader.read(names)[1], [[0], [0.0]])[0] for _ in range(2)]
    return [tf.train.batch([number], 1, capacity=4) for number in reads]


def read_to_end(session, fetch, values):
    try:
        while True:
            values += session.run(fetch).tolist()
    except tf.errors.OutOfRangeError:
        return


@pytest.mark.parametrize("build", [
    two_queues_of_one_read, two_reads_of_one_queue, a_queue_and_the_model, two_reads_by_one_reader,
], ids=lambda build: build.__name__)
@pytest.mark.parametrize("first", [0, 1, None], ids=["the first is read", "the second is read", "both are read"])
def test_each_of_several_consumers_gets_what_the_others_leave(build, first, files):
    with tf.Graph().as_default():
        fetches = build(files)
        conversion = convert()
        assert [plan.promise for plan in conversion.plans] == ["same set"] * 2
        assert "consumers share the elements of" in conversion.plans[0].reason
        values = []
        with tf.Session() as session:
            session.run(tf.local_variables_initializer())
            tf.train.start_queue_runners(session)
            if first is None:
                for _ in range(5):
                    values += session.run(fetches[0]).tolist() + session.run(fetches[1]).tolist()
            read_to_end(session, fetches[first or 0], values)
            read_to_end(session, fetches[1 - (first or 0)], values)
    expected = list(range(30)) if build is not two_reads_by_one_reader else 2 * [
        100 * number + each for number in range(3) for each in range(5 + number)
    ]
    assert sorted(values) == sorted(expected)


def test_a_priority_queue_gives_the_smallest_of_what_it_has_room_for():
    with tf.Graph().as_default():
        queue = tf.PriorityQueue(4, [tf.int32], [[]])
        enqueue = queue.enqueue_many([tf.constant([5, 3, 9, 1, 8, 2], tf.int64), tf.range(6)])
        tf.train.add_queue_runner(tf.train.QueueRunner(queue, [enqueue]))
        priority, number = queue.dequeue()
        [plan] = convert(epochs=1).plans
        steps = run_to_end([priority, number])
    assert plan.reason == "'priority_queue' sorts by priority"
    assert steps == [[1, 3], [3, 1], [5, 0], [9, 2], [2, 5], [8, 4]]
