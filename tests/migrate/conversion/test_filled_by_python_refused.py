"""Queues that Python threads fill by feed_dict stay alone where tf.data would wait for ever, or gain nothing."""
import pytest
from python_queue import Filled

from legacy_towers.compat import tf
from legacy_towers.errors import ArgumentError
from legacy_towers.migrate import convert, to_dataset


@pytest.fixture(autouse=True)
def graph():
    with tf.Graph().as_default() as graph:
        yield graph


def last(filled):
    return filled.queue.dequeue_many(3)


def shown_beside_the_batch(filled):
    number = filled.queue.dequeue(name="number")
    tf.summary.scalar("number", number)
    return tf.train.batch([number], 3)


def of_two_batches(filled):
    for name in ("first", "second"):
        tf.train.batch([filled.queue.dequeue(name="of_" + name)], 3, name=name)


def in_buckets(filled):
    number = filled.queue.dequeue(name="number")
    return tf.contrib.training.bucket([number], number % 2, 2, 2)


def by_priority(filled):
    queue = tf.PriorityQueue(9, [tf.int32], [[]])
    number = filled.queue.dequeue()
    tf.train.add_queue_runner(tf.train.QueueRunner(queue, [queue.enqueue([tf.cast(number, tf.int64), number])]))
    return queue.dequeue()


def beside_another_operation(filled):
    queue = tf.FIFOQueue(9, [tf.int32], [[]], name="other")
    enqueues = [queue.enqueue([filled.queue.dequeue()]), queue.enqueue([tf.constant(3)])]
    tf.train.add_queue_runner(tf.train.QueueRunner(queue, enqueues))
    return queue.dequeue()


def by_a_queue_runner_too(filled):
    tf.train.add_queue_runner(tf.train.QueueRunner(filled.queue, [filled.many]))
    return tf.train.batch([filled.queue.dequeue()], 3)


def without_a_capacity(filled):
    queue = tf.FIFOQueue(-1, [tf.int32], [[]], name="other")
    tf.train.add_queue_runner(tf.train.QueueRunner(queue, [queue.enqueue([filled.queue.dequeue()])]))
    return queue.dequeue()


def by_several_readers(filled):
    names = tf.FIFOQueue(9, [tf.string], [[]], name="names")
    names.enqueue([tf.as_string(filled.number)])
    lines = [[tf.TextLineReader().read(names, name="read_{}".format(n))[1]] for n in range(2)]
    return tf.train.batch_join(lines, 3)


def by_a_reader_alone(filled):
    names = tf.FIFOQueue(9, [tf.string], [[]], name="names")
    names.enqueue([tf.as_string(filled.number)])
    return tf.TextLineReader().read(names, name="read")


def fed_in_a_step(filled):
    return tf.train.batch([filled.queue.dequeue() + tf.placeholder(tf.int32, [], name="offset")], 3)


def fed_in_a_step_or_not(filled):
    return tf.train.batch([filled.queue.dequeue() + tf.placeholder_with_default(1, [], name="offset")], 3)


@pytest.mark.parametrize("build, operation, reason", [
    (last, "fill", "Python code fills it and the model dequeues from it, so that tf.data has nothing to compute "
     "ahead; `legacy-towers migrate --explain LT413` has a dataset in place of both"),
    (shown_beside_the_batch, "number", "Python code fills 'q', and the model also dequeues from it"),
    (of_two_batches, "of_second", "Python code fills 'q', and several consumers share its elements"),
    (in_buckets, "bucket/top_queue",
     "Python code fills 'q', and one operation that fills 'bucket/top_queue' would wait for elements that may never "
     "come"),
    (by_priority, "priority_queue", "Python code fills 'q', and sorting would wait for elements that may never come"),
    (beside_another_operation, "other",
     "Python code fills 'q', and one operation that fills 'other' would wait for elements that may never come"),
    (by_a_queue_runner_too, "fill", "a queue runner and Python code both fill 'q'"),
    (without_a_capacity, "other",
     "its capacity is unlimited, and Python code may fill it before the first dequeue"),
    (by_several_readers, "read_0", "Python code fills 'names', and one of its 2 readers would wait for the others"),
    (by_a_reader_alone, "read", "Python code fills 'names', and no queue runner is between it and the model"),
    (fed_in_a_step, "offset", "its elements depend on a placeholder"),
    (fed_in_a_step_or_not, "offset", "its elements depend on a placeholder"),
], ids=lambda value: getattr(value, "__name__", ""))
def test_what_stays(build, operation, reason):
    build(Filled())
    plan = convert().plans[-1]
    assert (plan.promise, plan.reason, plan.operation, plan.filled) == ("refused", reason, operation, ())


def test_a_dataset_alone_is_refused():
    batch = tf.train.batch([Filled().queue.dequeue()], 3)
    with pytest.raises(ArgumentError, match="Python code fills 'q', and a dataset alone does not end with its session"):
        to_dataset(batch)
