"""`to_dataset`: new code reads what old code reads from queues, and goes on exactly where it stopped."""
import collections

import numpy as np
import pytest
import resuming
from queue_inputs import parsed, producer, record, run_to_end

import legacy_towers as lt
from legacy_towers.compat import tf
from legacy_towers.errors import ArgumentError
from legacy_towers.migrate import to_dataset


@pytest.fixture(autouse=True)
def graph():
    with tf.Graph().as_default() as graph:
        yield graph


def in_order(paths, **options):
    return tf.train.batch(parsed(record(paths, **options)[1]), 4, name="ordered")


def shuffled(paths, **options):
    _, line = tf.TextLineReader(skip_header_lines=1).read(producer(paths, **dict(options, shuffle=True)))
    number, x = tf.io.decode_csv(line, [[0], [0.0]])
    noise = tf.random_uniform([])
    return tf.train.shuffle_batch([tf.cast(number, tf.int64), x + noise], 3, capacity=12, min_after_dequeue=6)



def _read(dataset, most=200):
    iterator = tf.data.make_initializable_iterator(dataset)
    element, found = iterator.get_next(), []
    with tf.Session() as session:
        session.run([tf.tables_initializer(), iterator.initializer])
        try:
            while len(found) < most:
                found.append([np.asarray(each).tolist() for each in tf.nest.flatten(session.run(element))])
        except tf.errors.OutOfRangeError:
            pass
    return found


def test_elements_are_those_of_the_queue_in_its_order(files):
    queue = run_to_end(in_order(files["tfrecord"]))
    with tf.Graph().as_default():
        assert _read(to_dataset(in_order(files["tfrecord"]))) == queue


def test_operations_after_the_queue_are_part_of_the_dataset_and_structures_are_kept(files):
    ids, x = in_order(files["tfrecord"])
    table = tf.lookup.StaticHashTable(tf.lookup.KeyValueTensorInitializer(
        tf.constant([0, 100, 200], tf.int64), tf.constant([7, 8, 9], tf.int64)), -1)
    dataset = to_dataset({"x": tf.reshape(x, [2, 4]) * 2.0, "more": (ids, table.lookup(ids))})
    assert tf.data.get_output_shapes(dataset)["x"].as_list() == [2, 4]
    first = _read(dataset)[0]
    assert first == [[0, 1, 2, 3], [7, -1, -1, -1], [[0.0, 0.0, 2.0, 0.5], [4.0, 1.0, 6.0, 1.5]]]


def test_a_seed_makes_two_runs_the_same(files):
    def run(seed):
        with tf.Graph().as_default():
            return _read(to_dataset(shuffled(files["csv"]), seed=seed))

    first, other = run(3), run(4)
    assert first == run(3) and first != other
    # the examples of two epochs, without those of an incomplete last batch
    ids = collections.Counter(sum((batch[0] for batch in first), []))
    assert set(ids) == {0, 1, 2, 3, 4, 100, 101, 102, 103, 104, 105, 200, 201, 202, 203, 204, 205, 206}
    assert sum(ids.values()) == 36 and set(ids.values()) == {2}


def test_queue_runners_go_and_the_queue_fails_with_its_name(files):
    batch = in_order(files["tfrecord"])
    to_dataset(batch)
    assert tf.get_collection(tf.GraphKeys.QUEUE_RUNNERS) == []
    with tf.Session() as session, pytest.raises(tf.errors.InvalidArgumentError, match="ordered/fifo_q.*was converted"):
        session.run(batch)


def two_dequeues():
    queue = tf.train.range_input_producer(8)
    return [queue.dequeue(), queue.dequeue()]


def fed():
    return tf.train.batch([tf.placeholder(tf.float32, [], name="fed")], 2)


REFUSED = {
    "nothing": (lambda: [], "must be a structure of tensors"),
    "an array": (lambda: np.ones(3), "must be a structure of tensors"),
    "a constant": (lambda: tf.constant(1, name="one"), "'one:0' does not depend on a queue"),
    "a fed queue": (fed, "can't be read by tf.data: its elements depend on a placeholder"),
    "two dequeues of one queue": (two_dequeues, "dequeues from the same queue as"),
    "a placeholder after the queue": (
        lambda: tf.train.range_input_producer(8).dequeue() + tf.placeholder(tf.int32, []),
        "its elements depend on a placeholder",
    ),
}


@pytest.mark.parametrize("name", REFUSED)
def test_what_it_cannot_read_is_an_error(name):
    make, message = REFUSED[name]
    with pytest.raises(ArgumentError, match=message):
        to_dataset(make())


def test_another_dequeue_of_the_model_is_an_error():
    first, _ = two_dequeues()
    with pytest.raises(ArgumentError, match="dequeues from the same queue"):
        to_dataset(first)


def test_a_second_call_is_an_error():
    batch = tf.train.range_input_producer(8, name="numbers").dequeue()
    to_dataset(batch)
    with pytest.raises(ArgumentError, match="is converted to tf.data already: call to_dataset once"):
        to_dataset(batch)


def test_tensors_of_another_graph_are_an_error():
    batch = tf.train.range_input_producer(8, name="other").dequeue()
    with tf.Graph().as_default(), pytest.raises(ArgumentError, match="is not in the default graph"):
        to_dataset(batch)


def test_a_resumed_run_goes_on_exactly(tmp_path):
    path = tmp_path / "rows.csv"
    path.write_text("".join("{},{}\n".format(each, each / 8) for each in range(resuming.COUNT)))

    def make():
        _, line = tf.TextLineReader().read(tf.train.string_input_producer([str(path)]))
        number, x = tf.io.decode_csv(line, [[0], [0.0]])
        row = tf.stack([x, tf.random_uniform([]), 1.0])
        ids, rows = tf.train.shuffle_batch([tf.cast(number, tf.int64), row], 6, capacity=30, min_after_dequeue=12)
        return lt.inputs.from_dataset(to_dataset({"id": ids, "x": rows}, seed=5))

    first, resumed, plan = resuming.run(make, str(tmp_path / "resumed"), 5)
    assert (resumed, plan.resume) == (None, "exact")
    second, resumed, _ = resuming.run(make, str(tmp_path / "resumed"), 12)
    assert resumed.examples == 5
    assert first + second == resuming.run(make, str(tmp_path / "whole"), 12)[0]
