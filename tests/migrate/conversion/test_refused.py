"""Pipelines that tf.data does not support are kept, and the plan names the operation that prevents the conversion."""
import json

import pytest
from queue_inputs import record, run_to_end
from tensorflow.python.ops import data_flow_ops

from legacy_towers.compat import tf
from legacy_towers.errors import ArgumentError
from legacy_towers.migrate import convert


def numbers(**options):
    return tf.train.range_input_producer(6, **dict(dict(num_epochs=1, shuffle=False), **options))


def fill(queue, *elements):
    tf.train.add_queue_runner(tf.train.QueueRunner(queue, [queue.enqueue(list(elements))]))


def by_priority():
    queue = tf.PriorityQueue(-1, [tf.int32], [[]])
    number = numbers().dequeue()
    fill(queue, tf.cast(-number, tf.int64), number)
    return queue.dequeue_many(3)


def fed():
    queue = tf.FIFOQueue(20, [tf.int32], [[]], name="fed")
    queue.enqueue([tf.placeholder(tf.int32, [], name="number")], name="fill")
    return queue.dequeue_many(3)


def of_a_placeholder():
    return tf.train.batch([numbers().dequeue() + tf.placeholder_with_default(1, [], name="offset")], 3)


def of_a_reference_variable():
    offset = tf.get_variable("offset", [], tf.int32, initializer=tf.ones_initializer(), use_resource=False)
    tf.assign_add(offset, 1)
    return tf.train.batch([numbers().dequeue() + offset], 3)


def of_a_random_variable():
    offset = tf.Variable(tf.random_uniform([], 0, 9, tf.int32, seed=1), use_resource=False, name="offset")
    return tf.train.batch([numbers().dequeue() + offset], 3)


def of_a_staging_area():
    area = tf.contrib.staging.StagingArea([tf.int32], [[]])
    area.put([numbers().dequeue()])
    return tf.train.batch([area.get()], 3)


def by_different_counts():
    queue = numbers()
    return [queue.dequeue_many(2), queue.dequeue()]


def without_a_capacity():
    queue = tf.RandomShuffleQueue(-1, 0, [tf.int32], [[]])
    fill(queue, numbers().dequeue())
    return queue.dequeue()


def whose_size_is_used():
    queue = numbers()
    return [queue.dequeue(), tf.identity(queue.size() * 2, name="twice")]


def whose_size_is_fetched():
    queue = numbers()
    queue.size(name="size")
    return queue.dequeue()


def of_a_reader_whose_position_is_read():
    reader = tf.IdentityReader()
    value = reader.read(tf.train.string_input_producer(["a", "b"], num_epochs=1))[1]
    reader.num_records_produced(name="position")
    return value


def of_a_queue_of_a_list():
    queues = [tf.train.string_input_producer([name], num_epochs=1) for name in ("a", "b")]
    queue = tf.QueueBase.from_list(tf.placeholder_with_default(0, []), queues)
    return tf.IdentityReader().read(queue, name="read")[1]


def of_a_bucket_of_what_two_threads_take():
    number = numbers().dequeue(name="number")
    tf.train.batch([number], 3)
    first, second = tf.FIFOQueue(9, [tf.int32], [[]]), tf.FIFOQueue(9, [tf.int32], [[]], name="second")
    both = tf.group(first.enqueue([number]), second.enqueue([number]))
    tf.train.add_queue_runner(tf.train.QueueRunner(first, [both]))
    return [first.dequeue(), second.dequeue()]


def of_one_reader_of_two_queues(files):
    reader = tf.TFRecordReader()
    names = [tf.train.string_input_producer([name], num_epochs=1, shuffle=False) for name in files["tfrecord"][:2]]
    return tf.train.batch([reader.read(names[0])[1], reader.read(names[1], name="other")[1]], 1)


def by_a_thread_that_counts():
    queue = tf.FIFOQueue(9, [tf.int32], [[]])
    count = tf.get_variable("count", [], tf.int32, initializer=tf.zeros_initializer(), use_resource=True)
    both = tf.group(queue.enqueue([numbers().dequeue()]), count.assign_add(1))
    tf.train.add_queue_runner(tf.train.QueueRunner(queue, [both]))
    return queue.dequeue()


def beside_a_barrier():
    number = numbers().dequeue()
    barrier = data_flow_ops.Barrier([tf.int32], [[]])
    insert = barrier.insert_many(0, [tf.as_string(number)], [number])
    tf.train.add_queue_runner(tf.train.QueueRunner(tf.FIFOQueue(9, [tf.int32], [[]]), [insert]))
    return tf.identity(number)


def in_a_loop():
    queue = numbers()
    return tf.while_loop(lambda total: total < 5, lambda total: total + queue.dequeue(), [0])


def in_a_branch_before_a_queue():
    queue = numbers()
    number = tf.cond(tf.constant(True), queue.dequeue, lambda: -1)
    return tf.train.batch([number], 3)


def in_a_function():
    queue = numbers()
    dataset = tf.data.Dataset.range(3).map(lambda each: queue.dequeue())
    return [queue.dequeue(), tf.data.make_initializable_iterator(dataset).get_next()]


@pytest.mark.parametrize("build, operation, reason", [
    (by_priority, "priority_queue", "it sorts any number of elements: give it a capacity"),
    (fed, "fill", "Python code fills it and the model dequeues from it, so that tf.data has nothing to compute "
     "ahead; `legacy-towers migrate --explain LT413` has a dataset in place of both"),
    (of_a_placeholder, "offset", "its elements depend on a placeholder"),
    (of_a_reference_variable, "offset/read",
     "its elements depend on a variable: tf.data would not see it change"),
    (of_a_random_variable, "offset/read",
     "its elements depend on a variable: tf.data would not see it change"),
    (of_a_staging_area, "StagingArea_get", "its elements come from Unstage"),
    (by_different_counts, "input_producer_Dequeue", "operations read different numbers of elements from it"),
    (without_a_capacity, "random_shuffle_queue", "it shuffles any number of elements: give it a capacity"),
    (whose_size_is_used, "twice", "its size is used for more than summaries"),
    (whose_size_is_fetched, "size", "its size is used for more than summaries"),
    (of_a_reader_whose_position_is_read, "position", "ReaderNumRecordsProducedV2 uses 'IdentityReaderV2'"),
    (of_a_queue_of_a_list, "read", "which queue it reads is not known before the run"),
    (of_a_bucket_of_what_two_threads_take, "input_producer",
     "several consumers share its elements, and one of them reads in several passes"),
    (of_one_reader_of_two_queues, "ReaderReadV2",
     "one reader reads the files of several queues: make a reader for each of them"),
    (by_a_thread_that_counts, "AssignAddVariableOp", "the queue runner that uses it also runs AssignAddVariableOp"),
    (beside_a_barrier, "barrier_BarrierInsertMany",
     "the queue runner that uses it also runs BarrierInsertMany"),
    (in_a_loop, "while/input_producer_Dequeue", "it is read in a tf.while_loop"),
    (in_a_branch_before_a_queue, "cond/input_producer_Dequeue",
     "its elements are read from another queue in a tf.cond or tf.while_loop"),
    (in_a_function, "MapDataset", "MapDataset uses 'input_producer'"),
], ids=lambda value: getattr(value, "__name__", ""))
def test_the_plan_names_the_operation_and_its_line(build, operation, reason, files):
    with tf.Graph().as_default() as graph:
        build(*[files] * build.__code__.co_argcount)
        runners = list(tf.get_collection(tf.GraphKeys.QUEUE_RUNNERS))[-1:]
        plan = convert().plans[-1]
        assert (plan.promise, plan.reason, plan.operation) == ("refused", reason, operation)
        assert graph.get_operation_by_name(operation)
        assert "test_refused.py" in plan.line
        assert tf.get_collection(tf.GraphKeys.QUEUE_RUNNERS)[-1:] == runners
        assert plan.steps == () and "REFUSED, since " + reason in str(plan)
        json.dumps(plan.to_json())


def test_a_reader_that_tf_data_lacks(tmp_path):
    path = tmp_path / "records"
    path.write_bytes(bytes(range(10)))
    with tf.Graph().as_default():
        names = tf.train.string_input_producer([str(path)])
        tf.FixedLengthRecordReader(4, hop_bytes=2).read(names)
        [plan] = convert().plans
    assert plan.promise == "refused" and "hop_bytes" in plan.reason


def test_a_refused_pipeline_runs_as_before():
    with tf.Graph().as_default():
        fetches = of_a_placeholder()
        assert convert().plans[0].promise == "refused"
        assert run_to_end(fetches) == [[[1, 2, 3]], [[4, 5, 6]]]


def test_a_pipeline_that_shares_a_queue_with_a_refused_one_is_refused(files):
    with tf.Graph().as_default():
        names = tf.train.string_input_producer(files["tfrecord"], num_epochs=1)
        tf.train.batch([tf.TFRecordReader().read(names)[1]], 2, name="good")
        tf.train.batch([tf.TFRecordReader().read(names)[1] + tf.placeholder(tf.string, [])], 2, name="bad")
        good, bad = convert().plans
    assert bad.promise == good.promise == "refused"
    assert good.reason == "it shares 'input_producer' with 'bad/fifo_queue', which can't be converted: {}".format(
        bad.reason
    )


def test_a_graph_without_queues_has_no_plans():
    with tf.Graph().as_default():
        tf.constant(1)
        assert convert().plans == ()


def test_a_finalized_graph_is_not_changed(files):
    with tf.Graph().as_default() as graph:
        tf.train.batch([record(files["tfrecord"])[1]], 2)
        graph.finalize()
        with pytest.raises(ArgumentError, match="convert its queues before a session"):
            convert()
