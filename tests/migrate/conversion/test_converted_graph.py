"""What else is in a graph with queues goes on working when they are converted."""
import warnings

import numpy as np
import pytest
from queue_inputs import parsed, record, run_to_end

from legacy_towers.compat import tf
from legacy_towers.errors import InputError
from legacy_towers.graph.closed_queues import ClosedQueueCheck
from legacy_towers.migrate import convert


@pytest.fixture
def graph():
    with tf.Graph().as_default() as graph:
        yield graph


def counting_batches():
    """Returns batches (0, 1), (2, 3), ... of numbers, and the tensor with their sum."""
    number = tf.train.range_input_producer(8, num_epochs=1, shuffle=False).dequeue()
    batch = tf.train.batch([number], 2, name="numbers")
    return batch, tf.reduce_sum(batch, name="sum")


def started(session):
    session.run(tf.local_variables_initializer())
    tf.train.start_queue_runners(session)
    return session


def test_tensors_of_the_queue_are_fetched_by_object_and_name(graph):
    batch, total = counting_batches()
    convert()
    with started(tf.Session()) as session:
        assert [value.tolist() for value in session.run([batch, total])] == [[0, 1], 1]
        assert session.run(batch.name).tolist() == [2, 3]
        assert session.run(graph.get_tensor_by_name("numbers:0")).tolist() == [4, 5]
        assert session.make_callable([batch, total])()[1] == 13
        with pytest.raises(tf.errors.OutOfRangeError):
            session.run(total)


def test_tensors_of_the_queue_are_fed(graph):
    batch, total = counting_batches()
    convert()
    with started(tf.Session()) as session:
        assert session.run(total, {batch: [10, 20]}) == 30
        assert session.run(total, {"numbers:0": [1, 2]}) == 3
        assert session.run(total) == 1


def test_steps_of_a_session_with_one_thread_wait_for_two_datasets(graph):
    images = []
    for _ in range(2):
        number = tf.train.range_input_producer(40, num_epochs=1, shuffle=False).dequeue()
        image = tf.image.resize(tf.fill([32, 32, 3], tf.cast(number, tf.float32)), [256, 256])
        images.append(tf.reduce_mean(tf.train.batch([image], 2, num_threads=2), [1, 2, 3]))
    convert()
    config = tf.ConfigProto(inter_op_parallelism_threads=1, use_per_session_threads=True)
    with started(tf.Session(config=config)) as session:
        found = np.array([session.run(images, options=tf.RunOptions(timeout_in_ms=60000)) for _ in range(20)])
    np.testing.assert_allclose(np.sort(found.transpose(1, 0, 2).reshape(2, 40)), [np.arange(40)] * 2, rtol=1e-5)


def test_a_graph_without_queues_says_so(graph):
    assert str(convert()) == "no queues to convert"


def test_no_thread_fills_the_queues(graph):
    counting_batches()
    assert len(tf.get_collection(tf.GraphKeys.QUEUE_RUNNERS)) == 2
    convert()
    assert tf.get_collection(tf.GraphKeys.QUEUE_RUNNERS) == []


def test_a_monitored_session_trains_to_the_end(graph):
    _, total = counting_batches()
    step = tf.train.get_or_create_global_step()
    convert()
    sums = []
    with tf.control_dependencies([step.assign_add(1)]):
        train_op = tf.identity(total)
    with tf.train.MonitoredTrainingSession() as session:
        while not session.should_stop():
            sums.append(session.run(train_op))
    assert sums == [1, 5, 9, 13]


def test_tables_are_initialized_before_the_iterator_starts(graph):
    number = tf.train.range_input_producer(3, num_epochs=1, shuffle=False).dequeue()
    keys = tf.constant([0, 1, 2], tf.int64)
    table = tf.lookup.StaticHashTable(tf.lookup.KeyValueTensorInitializer(keys, keys * 10), -1)
    batch = tf.train.batch([table.lookup(tf.cast(number, tf.int64))], 3)
    conversion = convert()
    assert len(conversion.initializers) == 1
    with tf.train.MonitoredTrainingSession() as session:
        assert session.run(batch).tolist() == [0, 10, 20]


def test_what_runs_after_a_read_runs_after_the_iterator(graph):
    batch, _ = counting_batches()
    with tf.control_dependencies([batch.op]):
        after = tf.no_op()
    convert()
    with started(tf.Session()) as session:
        session.run(after)
        assert session.run(batch).tolist() == [2, 3]


def test_summaries_of_queue_sizes_go_and_others_stay(graph):
    _, total = counting_batches()
    tf.summary.scalar("total", total)
    [queue] = {runner.queue for runner in tf.get_collection(tf.GraphKeys.QUEUE_RUNNERS)
               if runner.queue.name.startswith("numbers")}
    tf.summary.histogram("sizes", tf.cast([queue.size(), 2], tf.float32) / 9.0)
    merged = tf.summary.merge_all()
    convert()
    assert [each.op.name for each in tf.get_collection(tf.GraphKeys.SUMMARIES)] == ["total"]
    with started(tf.Session()) as session:
        values = tf.Summary.FromString(session.run(merged)).value
    assert [(value.tag, value.simple_value) for value in values] == [("total", 1.0)]


def test_a_summary_of_examples_before_the_queue_has_a_pass_of_its_own(graph, files):
    number, _ = parsed(record(files["tfrecord"], num_epochs=1)[1])
    summary = tf.summary.scalar("example", number)
    batch = tf.train.batch([number], 3)
    plans = convert().plans
    assert [plan.promise for plan in plans] == ["same sequence"] * 2
    assert "takes no example from the queue" in plans[0].notes[0]
    with started(tf.Session()) as session:
        shown = [tf.Summary.FromString(session.run(summary)).value[0].simple_value for _ in range(3)]
        assert shown == [0, 1, 2]
    assert sum((step[0] for step in run_to_end(batch)), []) == list(range(5)) + list(range(100, 106)) + list(
        range(200, 207)
    )


def test_a_queue_may_be_closed_and_what_else_uses_it_is_an_error(graph):
    number = tf.train.range_input_producer(8, num_epochs=1, shuffle=False).dequeue()
    queue = tf.FIFOQueue(9, [tf.int32], [[]], name="own")
    enqueue = queue.enqueue([number])
    tf.train.add_queue_runner(tf.train.QueueRunner(queue, [enqueue]))
    value, close = queue.dequeue(), queue.close()
    convert()
    with started(tf.Session()) as session:
        assert session.run(value) == 0
        for fetch in (enqueue, queue.size(), number, queue.dequeue()):
            with pytest.raises(tf.errors.InvalidArgumentError, match="was converted to tf.data"):
                session.run(fetch)
        session.run(close)
        assert session.run(value) == 1


def test_checks_of_closed_queues_ignore_iterators(graph):
    number = tf.train.range_input_producer(3, num_epochs=1, shuffle=False).dequeue()
    keys = tf.constant([0, 1, 2], tf.int64)
    table = tf.lookup.StaticHashTable(tf.lookup.KeyValueTensorInitializer(keys, keys), -1)
    tf.train.batch([table.lookup(tf.cast(number, tf.int64))], 3)
    convert()
    check = ClosedQueueCheck()
    with tf.Session() as session:
        try:
            check(session)
        except InputError:
            pytest.fail("an iterator is not a closed queue")


def test_gradients_of_a_model_on_the_queue(graph):
    number = tf.train.range_input_producer(8, num_epochs=1, shuffle=False).dequeue()
    batch = tf.train.batch([tf.cast(number, tf.float32)], 2)
    weight = tf.get_variable("weight", [], initializer=tf.ones_initializer())
    loss = tf.reduce_sum(weight * batch)
    train_op = tf.train.GradientDescentOptimizer(1.0).minimize(loss)
    convert()
    with started(tf.Session()) as session:
        session.run(tf.global_variables_initializer())
        session.run(train_op)
        assert session.run(weight) == 0.0  # 1 - (0 + 1)
        session.run(train_op)
        assert session.run(weight) == -5.0  # 0 - (2 + 3)


def test_converting_twice_changes_nothing(graph):
    batch, _ = counting_batches()
    convert()
    operations = len(graph.get_operations())
    assert convert().plans == ()
    assert len(graph.get_operations()) == operations
    with started(tf.Session()) as session:
        assert session.run(batch).tolist() == [0, 1]


def test_a_meta_graph_of_a_converted_graph_has_no_queue_runners(graph, tmp_path):
    counting_batches()
    convert()
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        exported = tf.train.export_meta_graph(str(tmp_path / "converted.meta"))
    assert tf.GraphKeys.QUEUE_RUNNERS not in exported.collection_def
    with tf.Graph().as_default(), tf.Session() as session:
        tf.train.import_meta_graph(str(tmp_path / "converted.meta"))
        session.run(tf.local_variables_initializer())
        assert [session.run("sum:0") for _ in range(4)] == [1, 5, 9, 13]


@pytest.mark.parametrize("as_variable", [False, True], ids=["constant", "variable"])
def test_large_constants_are_not_copied_into_functions(graph, as_variable):
    numbers = np.arange(3 * 2**20, dtype=np.int32).reshape(6, -1)
    values = tf.constant(numbers)
    if as_variable:
        values = tf.Variable(values, trainable=False, collections=[tf.GraphKeys.LOCAL_VARIABLES], use_resource=False)
    batch = tf.train.batch(tf.train.slice_input_producer([values], num_epochs=1, shuffle=False), 3)
    convert()
    assert graph.as_graph_def().ByteSize() < numbers.nbytes + 2**20
    with started(tf.Session()) as session:
        for first in (0, 3):
            assert (session.run(batch) == numbers[first:first + 3]).all()
