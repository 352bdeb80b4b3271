"""What the recorder of --verify finds in a graph: batches, single examples, shuffles, and examples after a parse."""
import numpy as np
import pytest

from legacy_towers.compat import tf
from legacy_towers.compat.versions import batched_reads, read_values, recorded_tensors


def _number():
    return tf.train.range_input_producer(9, shuffle=False).dequeue()


def _bucketed():
    return tf.contrib.training.bucket([_number()], _number(), 2, 3)[0]


def _taken_again():
    queue = tf.FIFOQueue(3, [tf.int32], [[2]])
    tf.train.add_queue_runner(tf.train.QueueRunner(queue, [queue.enqueue(tf.train.batch([_number()], 2))]))
    return queue.dequeue()


def _many_at_a_time():
    queue = tf.FIFOQueue(3, [tf.int32], [[]])
    tf.train.add_queue_runner(tf.train.QueueRunner(queue, [queue.enqueue_many(tf.train.batch([_number()], 2))]))
    return queue.dequeue()


def _next(dataset, one_shot=True):
    if one_shot:
        return tf.data.make_one_shot_iterator(dataset).get_next()
    return tf.data.make_initializable_iterator(dataset).get_next()


def _numbers():
    return tf.data.Dataset.range(9)


READS = [
    ("batch", lambda: tf.train.batch([_number()], 2), True, False),
    ("shuffle_batch", lambda: tf.train.shuffle_batch([_number()], 2, 9, 3), True, True),
    ("input_producer", _number, None, False),
    ("a shuffled input_producer", lambda: tf.train.range_input_producer(9).dequeue(), None, True),
    ("a queue of single examples", lambda: tf.train.input_producer([_number()], shuffle=False).dequeue(), None, False),
    ("a reader", lambda: tf.TextLineReader().read(tf.train.string_input_producer(["a"], shuffle=False))[1], False,
     False),
    ("bucket", _bucketed, True, False),
    ("a queue of batches", _taken_again, True, False),
    ("a queue filled by enqueue_many", _many_at_a_time, None, False),
    ("a dataset", lambda: _next(_numbers().map(lambda number: number + 1)), False, False),
    ("a shuffled dataset", lambda: _next(_numbers().shuffle(3)), False, True),
    ("a dataset of batches", lambda: _next(_numbers().batch(2).prefetch(1)), True, False),
    ("a dataset of batches with an initializer", lambda: _next(_numbers().shuffle(3).batch(2), False), True, True),
    ("a dataset of buckets", lambda: _next(_numbers().apply(tf.data.experimental.group_by_window(
        lambda number: number % 2, lambda _, window: window.batch(2), 2))), True, False),
    ("a generator", lambda: _next(tf.data.Dataset.from_generator(lambda: iter([[1]]), tf.int32)), None, False),
]


@pytest.mark.parametrize("makes, is_batched, is_shuffled", [each[1:] for each in READS],
                         ids=[each[0] for each in READS])
def test_reads_of_batches_and_shuffles_are_told_apart(makes, is_batched, is_shuffled):
    with tf.Graph().as_default():
        read = makes().op
        while not recorded_tensors.is_read(read):
            read = read.inputs[0].op
        assert batched_reads.is_batched(read) is is_batched
        found = recorded_tensors.is_shuffled(read, of_lists=True) or batched_reads.is_shuffled(read)
        assert found == is_shuffled


@pytest.mark.parametrize("arrays, is_batched, examples", [
    ([np.int32(1), np.zeros([4, 3]), np.zeros([4])], True, 4),
    ([np.int32(1), np.zeros([4, 3])], None, 1),
    ([np.zeros([4, 3]), np.zeros([4])], None, 4),
    ([np.zeros([4, 3])], False, 1),
    ([np.zeros([4, 3]), np.zeros([5])], True, 1),
], ids=["a scalar beside a batch", "perhaps an example", "perhaps a batch", "an example", "other lengths"])
def test_examples_of_a_read_are_counted(arrays, is_batched, examples):
    found = read_values.described([(each,) for each in arrays], is_batched)
    assert len(found["rows"]) == len(found["parts"]) == examples


def test_parsed_examples_end_where_a_variable_is_used():
    with tf.Graph().as_default():
        line = tf.TextLineReader().read(tf.train.string_input_producer(["a"]))[1]
        number, label = tf.decode_csv(line, [[0], [0.0]])
        weight = tf.get_variable("weight", [])
        loss = tf.square(tf.multiply(label, 2.0, name="doubled") * weight)
        other = tf.train.batch([_number()], 2)
        found = recorded_tensors.parsed_examples(
            [line.op, other.op], [loss, number, other + tf.placeholder(tf.int32, name="fed")], {"fed:0"})
        assert [([each.name for each in reads], [each.name for each in tensors]) for reads, tensors in found] == [
            ([line.op.name], [number.name, "doubled:0"]), ([other.op.name], [other.name]),
        ]
