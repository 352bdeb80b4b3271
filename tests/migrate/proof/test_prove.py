"""Proofs of right conversions, and what they measure."""
import json
import os
from unittest import mock

import numpy as np
import pytest
from queue_inputs import parsed, producer, record, words

from legacy_towers.compat import tf
from legacy_towers.migrate import prove
from legacy_towers.migrate.proof.shuffles import distance


def in_order(files):
    return tf.train.batch(parsed(record(files["tfrecord"])[1]), 5, allow_smaller_final_batch=True)


def without_a_limit(files):
    return tf.train.batch(parsed(record(files["tfrecord"], num_epochs=None)[1]), 4)


def a_constant(files):
    return tf.train.batch([tf.constant([3, 4])], 4)


def without_batches(files):
    return tf.train.range_input_producer(6, num_epochs=1, shuffle=False).dequeue()


def sparse(files):
    return tf.train.batch([words(record(files["tfrecord"])[1])], 4)


def for_three_towers(files):
    queue = tf.train.range_input_producer(30, num_epochs=1, shuffle=False)
    return [queue.dequeue_many(5) for _ in range(3)]


def in_a_branch(files):
    queue = tf.train.range_input_producer(6, num_epochs=1, shuffle=False)
    return tf.cond(tf.placeholder_with_default(True, []), queue.dequeue, lambda: -1)


def with_a_variable_that_keeps_its_value(files):
    number = tf.train.range_input_producer(12, num_epochs=1, shuffle=False).dequeue()
    offset = tf.get_variable("offset", [], tf.int32, initializer=tf.ones_initializer(), use_resource=False)
    return tf.train.batch([number + offset], 3)


def of_files_that_match_a_pattern(files):
    pattern = os.path.join(os.path.dirname(files["tfrecord"][0]), "*.tfrecord")
    return tf.train.batch(parsed(record(tf.train.match_filenames_once(pattern))[1]), 6)


def with_sums_of_large_images(files):
    number = tf.train.range_input_producer(24, num_epochs=1, shuffle=False).dequeue()
    image = tf.random_uniform([227, 227, 3], seed=5) + tf.cast(number, tf.float32)
    return tf.train.batch([tf.image.per_image_standardization(image)], 3)


def with_a_division_by_a_constant(files):
    number = tf.train.range_input_producer(255, num_epochs=1, shuffle=False).dequeue()
    return tf.train.batch([tf.cast(number, tf.float32) / 255.0], 5)


def of_many_epochs(files):
    return tf.train.batch([tf.train.range_input_producer(6, num_epochs=100000, shuffle=False).dequeue()], 3)


def with_random_numbers(files):
    number = tf.train.range_input_producer(12, num_epochs=1, shuffle=False).dequeue()
    return tf.train.batch([number, tf.random_uniform([2])], 3)


SAME_SEQUENCE = [
    (in_order, (8, 36, 1), "all epochs"),
    (without_a_limit, (4, 16, 4), "one epoch"),
    (of_many_epochs, (6, 18, 3), "the first 3 of 100000 epochs"),
    (a_constant, (2, 8, 4), "8 epochs"),
    (without_batches, (6, 6, 1), "all epochs"),
    (sparse, (9, 36, 4), "all epochs"),
    (in_a_branch, (6, 6, 1), "all epochs"),
    (with_sums_of_large_images, (8, 24, 3), "all epochs"),
    (with_random_numbers, (4, 12, 3), "all epochs"),
    (with_a_division_by_a_constant, (51, 255, 5), "all epochs"),
    (with_a_variable_that_keeps_its_value, (4, 12, 3), "all epochs"),
    (of_files_that_match_a_pattern, (6, 36, 6), "all epochs"),
]


@pytest.mark.parametrize("build, expected, epochs", SAME_SEQUENCE, ids=[each[0].__name__ for each in SAME_SEQUENCE])
def test_the_same_sequence_is_proven(build, expected, epochs, files):
    build(files)
    [proof] = prove(rounds=0).pipelines
    assert (proof.promise, proof.verdict, proof.reason) == ("same sequence", "proven", "")
    batches, examples, last = expected
    assert (proof.batches, proof.examples, proof.last_batch) == ((batches,) * 2, (examples,) * 2, (last,) * 2)
    assert proof.compared == "the same {} batches in the same order, bit for bit, in {}".format(batches, epochs)
    assert proof.repeats == (True, True) and proof.shuffle_distance is None and proof.speed is None


def shuffled(files):
    return tf.train.shuffle_batch(parsed(record(files["tfrecord"])[1]), 5, 20, 5, seed=3)


def shuffled_without_a_limit(files):
    return tf.train.shuffle_batch(parsed(record(files["tfrecord"], num_epochs=None)[1]), 4, 20, 5)


def by_threads(files):
    return tf.train.batch(parsed(record(files["tfrecord"])[1]), 5, num_threads=3)


def joined(files):
    names = producer(files["tfrecord"])
    return tf.train.batch_join([parsed(tf.TFRecordReader().read(names)[1]) for _ in range(2)], 5)


def shuffled_sparse(files):
    return tf.train.shuffle_batch([words(record(files["tfrecord"])[1])], 4, 20, 5)


def padded_by_threads(files):
    return tf.train.batch(
        [tf.sparse.to_dense(words(record(files["tfrecord"])[1]))], 5, num_threads=2, dynamic_pad=True
    )


def random_by_threads(files):
    number, x = parsed(record(files["tfrecord"])[1])
    return tf.train.shuffle_batch([number, x + tf.random_uniform([2])], 5, 20, 5, num_threads=3)


def in_nested_conditions(files):
    number = tf.train.range_input_producer(20, num_epochs=1, shuffle=False).dequeue()
    return tf.contrib.training.bucket([number], number % 2, 2, 2, keep_input=number > 4)[1]


def of_batches_in_a_queue(files):
    number, x = parsed(record(files["tfrecord"], shuffle=True)[1])
    batch = tf.train.batch([number, tf.one_hot(number % 7, 7), x], 5, num_threads=2)
    return tf.contrib.slim.prefetch_queue.prefetch_queue(batch, capacity=2).dequeue()


def of_padded_batches_in_a_queue(files):
    number, x = parsed(record(files["tfrecord"], shuffle=True)[1])
    batch = tf.train.batch([number, x], 5, num_threads=2)
    return tf.contrib.slim.prefetch_queue.prefetch_queue(batch, capacity=2, dynamic_pad=True).dequeue()


SAME_SET = [
    (in_nested_conditions, 7), (of_batches_in_a_queue, 36), (of_padded_batches_in_a_queue, 36),
    (shuffled, 36), (shuffled_without_a_limit, 18), (by_threads, 36), (joined, 36), (shuffled_sparse, 36),
    (padded_by_threads, 36), (random_by_threads, 36), (for_three_towers, 30),
]


@pytest.mark.parametrize("build, examples", SAME_SET, ids=[each[0].__name__ for each in SAME_SET])
def test_the_same_set_is_proven_with_the_examples_that_a_last_batch_drops(build, examples, files):
    build(files)
    [proof] = prove(rounds=0).pipelines
    assert (proof.verdict, proof.reason) == ("proven", "")
    if proof.promise == "same set":
        assert "the same {} examples, each as often, bit for bit".format(examples) in proof.compared
        assert proof.shuffle_distance is not None and max(proof.shuffle_distance) < 0.7
    assert proof.batches[0] == proof.batches[1] == examples // proof.last_batch[0]


def test_seeds_and_single_threads_of_the_copies_are_named(files):
    random_by_threads(files)
    [proof] = prove(rounds=0).pipelines
    assert len(proof.notes) == 2
    assert proof.notes[0].endswith("/RandomUniform' had no seed, and got one in the copies that were run")
    assert proof.notes[1].startswith("one thread per operation filled the queues here, since ")


def test_threads_stay_where_only_the_order_of_files_is_random(files):
    names = tf.train.slice_input_producer([list(range(6))], num_epochs=2, shuffle=True)
    tf.train.batch(names, 2, num_threads=3)
    [proof] = prove(rounds=0).pipelines
    assert (proof.promise, proof.verdict) == ("same set", "proven")
    assert len(proof.notes) == 1 and "/RandomShuffle' had no seed" in proof.notes[0]


def test_the_graph_stays_as_it_is(files):
    batch = without_batches(files)
    before = tf.get_default_graph().as_graph_def()
    state = np.random.get_state()[1].tolist()
    prove(rounds=0)
    assert tf.get_default_graph().as_graph_def() == before
    assert np.random.get_state()[1].tolist() == state
    with tf.Session() as session:
        session.run(tf.local_variables_initializer())
        coordinator = tf.train.Coordinator()
        threads = tf.train.start_queue_runners(session, coordinator)
        assert session.run(batch) == 0
        coordinator.request_stop()
        coordinator.join(threads, stop_grace_period_secs=5)


def test_a_refused_pipeline_is_not_compared(files):
    number = tf.train.range_input_producer(6, num_epochs=1, shuffle=False).dequeue()
    tf.train.batch([number + tf.placeholder_with_default(1, [], name="offset")], 2)
    [proof] = prove(rounds=0).pipelines
    assert (proof.promise, proof.verdict) == ("refused", "not compared")
    assert proof.reason == "it is refused: its elements depend on a placeholder"


def test_a_queue_that_fails_is_not_compared(files):
    number = tf.train.range_input_producer(6, num_epochs=1, shuffle=False).dequeue()
    with tf.control_dependencies([tf.Assert(number < 4, ["too large"])]):
        number = tf.identity(number)
    tf.train.batch([number], 2)
    [proof] = prove(rounds=0).pipelines
    assert proof.verdict == "not compared"
    assert proof.reason.startswith("the queue fails: InvalidArgumentError: ")
    assert "Graph execution error" not in proof.reason


@pytest.mark.parametrize("collections", [
    [], None, [tf.GraphKeys.LOCAL_VARIABLES],
], ids=["initialized by the program", "in GLOBAL_VARIABLES", "in LOCAL_VARIABLES"])
@pytest.mark.parametrize("dtype", [tf.float32, tf.int64, tf.bool, tf.string], ids=lambda dtype: dtype.name)
def test_a_variable_whose_initial_value_is_fed_has_made_up_values(collections, dtype):
    value = tf.placeholder(dtype, [6, 2], name="value")
    variable = tf.Variable(value, trainable=False, collections=collections, use_resource=False)
    tf.train.batch(tf.train.slice_input_producer([variable], num_epochs=1, shuffle=False), 3)
    [proof] = prove(rounds=0).pipelines
    assert (proof.verdict, proof.examples) == ("proven", (6, 6)), proof.reason
    assert proof.notes == (
        "'value' has made-up values in the copies that were run: the script feeds them to a variable",
    )


def test_made_up_values_that_a_queue_can_not_read_are_not_compared():
    names = tf.Variable(tf.placeholder(tf.string, [2]), trainable=False, collections=[], use_resource=False)
    tf.train.batch([record(names)[1]], 3)
    [proof] = prove(rounds=0).pipelines
    assert proof.verdict == "not compared"
    assert proof.reason.startswith("the queue fails: NotFoundError: ")
    assert "Graph execution error" not in proof.reason


def test_a_queue_chosen_by_an_index_is_refused():
    queues = [tf.train.range_input_producer(6, name=name) for name in ("first", "second")]
    tf.QueueBase.from_list(tf.placeholder(tf.int32, []), queues).dequeue_many(2, name="chosen")
    [proof] = prove(rounds=0).pipelines
    assert (proof.name, proof.verdict) == ("chosen", "not compared")
    assert proof.reason == "it is refused: which queue it reads is not known before the run"


def test_a_graph_without_queues_is_not_compared():
    tf.constant(1)
    proof = prove()
    assert (proof.pipelines, proof.training, proof.verdict) == ((), None, "not compared")


def test_a_file_of_a_meta_graph(files, tmp_path):
    in_order(files)
    path = str(tmp_path / "model.meta")
    tf.train.export_meta_graph(path)
    with tf.Graph().as_default():
        proof = prove(path, rounds=0)
    assert proof.verdict == "proven"
    found = json.loads(json.dumps(proof.to_json()))
    assert (found["verdict"], found["pipelines"][0]["batches"]) == ("proven", [8, 8])
    assert "PROVEN: the same 8 batches" in str(proof)


def test_speed_is_measured_in_turns(files):
    tf.train.batch([tf.train.range_input_producer(600, num_epochs=1, shuffle=False).dequeue()], 20)
    with mock.patch("legacy_towers.migrate.proof.speed.LEAST_TURN_SECONDS", 0.0):
        [proof] = prove(rounds=2, steps=0).pipelines
    speed = proof.speed
    assert speed.queue > 0 and speed.dataset > 0 and speed.queue_cpu > 0 and speed.dataset_cpu > 0
    assert speed.ratio.low <= speed.ratio.median <= speed.ratio.high
    assert "examples/s" in str(prove.__globals__["Proof"]((proof,)))


@pytest.mark.parametrize("examples, order, expected", [
    ([1, 2, 3, 4], [1, 2, 3, 4], 0.0),
    ([2, 1, 4, 3], [1, 2, 3, 4], 0.25),
    ([1, 1, 2, 2], [1, 2, 1, 2], 0.125),
    ([1], [1], None),
], ids=["same order", "neighbours swapped", "equal examples in their order", "one example"])
def test_the_distance_of_examples_from_their_place(examples, order, expected):
    assert distance(examples, order) == (None if expected is None else pytest.approx(expected))


def test_the_distance_of_a_uniform_shuffle_is_a_third():
    shuffled_order = np.random.RandomState(0).permutation(3000).tolist()
    assert distance(shuffled_order, list(range(3000))) == pytest.approx(1 / 3, abs=0.02)
