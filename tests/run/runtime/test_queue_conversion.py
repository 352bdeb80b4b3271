"""`--queues-to-dataset`: sessions of a script read from tf.data where it built queues."""
import json

import pytest
from run.runtime import prepared

from legacy_towers.errors import ArgumentError
from legacy_towers.migrate import convert
from legacy_towers.run.runtime import queue_conversion


def numbers(tf, count=8):
    number = tf.train.range_input_producer(count, num_epochs=1, shuffle=False).dequeue()
    return tf.train.batch([number], 2, name="numbers")


def started(tf, session):
    session.run(tf.local_variables_initializer())
    coordinator = tf.train.Coordinator()
    return coordinator, tf.train.start_queue_runners(session, coordinator)


def test_a_script_that_makes_its_session_first(capsys):
    with prepared.script("--queues-to-dataset") as (tf, _), tf.Graph().as_default():
        session = tf.Session()
        batch = numbers(tf)
        coordinator, threads = started(tf, session)
        assert threads == []
        total = tf.reduce_sum(batch)  # built after the first run
        assert [session.run(total) for _ in range(4)] == [1, 5, 9, 13]
        with pytest.raises(tf.errors.OutOfRangeError):
            session.run(total)
        coordinator.request_stop()
        coordinator.join(threads)
    assert "'numbers/fifo_queue' is read by tf.data: same sequence" in capsys.readouterr().err


def test_queue_runners_that_start_before_the_first_run():
    with prepared.script("--queues-to-dataset") as (tf, _), tf.Graph().as_default():
        batch = tf.train.batch([tf.constant(3)], 2)
        with tf.Session() as session:
            assert tf.train.start_queue_runners(session) == []
            assert session.run(batch).tolist() == [3, 3]
            more = tf.train.batch([tf.constant(4)], 2)
            assert tf.train.start_queue_runners(session) == []
            assert session.run([batch, more])[1].tolist() == [4, 4]


@pytest.mark.parametrize("make", [
    lambda tf: tf.train.MonitoredTrainingSession(),
    lambda tf: tf.train.Supervisor(logdir="", summary_op=None).managed_session(),
], ids=["MonitoredTrainingSession", "Supervisor"])
def test_sessions_that_finalize_the_graph(make):
    with prepared.script("--queues-to-dataset") as (tf, _), tf.Graph().as_default() as graph:
        tf.train.get_or_create_global_step()
        total = tf.reduce_sum(numbers(tf))
        sums = []
        with make(tf) as session:
            assert graph.finalized
            for _ in range(4):
                sums.append(session.run(total))
        assert sums == [1, 5, 9, 13]
        assert tf.get_collection(tf.GraphKeys.QUEUE_RUNNERS) == []


def test_callables_and_partial_runs():
    with prepared.script("--queues-to-dataset") as (tf, _), tf.Graph().as_default():
        number = tf.train.input_producer(tf.constant([5, 6, 7]), shuffle=False).dequeue()
        with tf.Session() as session:
            assert session.make_callable(number)() == 5
            handle = session.partial_run_setup([number], [])
            assert session.partial_run(handle, number) == 6


def test_a_refused_queue_is_named_and_runs(capsys):
    with prepared.script("--queues-to-dataset") as (tf, _), tf.Graph().as_default():
        offset = tf.placeholder_with_default(10, [], name="offset")
        batch = tf.train.batch([numbers(tf)[0] + offset], 2, name="fed")
        with tf.Session() as session:
            coordinator, threads = started(tf, session)
            assert session.run(batch).tolist() == [10, 12]
            coordinator.request_stop()
            coordinator.join(threads, stop_grace_period_secs=5)
    error = capsys.readouterr().err
    assert "'fed/fifo_queue' stays a queue: its elements depend on a placeholder ('offset', " in error
    assert "test_queue_conversion.py" in error


def test_without_the_option_queues_stay():
    with prepared.script() as (tf, _), tf.Graph().as_default():
        batch = numbers(tf)
        with tf.Session() as session:
            coordinator, threads = started(tf, session)
            assert len(threads) > 0
            assert session.run(batch).tolist() == [0, 1]
            coordinator.request_stop()
            coordinator.join(threads, stop_grace_period_secs=5)


def test_a_queue_that_the_script_fills_by_feeding_is_named(capsys):
    with prepared.script("--queues-to-dataset") as (tf, _), tf.Graph().as_default():
        number = tf.placeholder(tf.int32, [])
        queue = tf.FIFOQueue(4, [tf.int32], [[]], name="fed")
        fill, value = queue.enqueue([number], name="fill"), queue.dequeue()
        with tf.Session() as session:
            for each in range(3):
                session.run(fill, {number: each})
            assert [int(session.run(value)) for _ in range(3)] == [0, 1, 2]
    error = capsys.readouterr().err
    assert error.count("'fed' stays a queue: Python code fills it and the model dequeues from it, so that ") == 1
    assert "('fill', " in error
    assert "no session that the script ran reads" not in error


def test_a_script_without_queues_is_reported(capsys):
    with prepared.script("--queues-to-dataset") as (tf, _), tf.Graph().as_default():
        with tf.Session() as session:
            session.run(tf.constant(1))
    assert "no session that the script ran reads from a queue with a queue runner" in capsys.readouterr().err


def test_the_report_has_the_plans(tmp_path):
    path = tmp_path / "report.json"
    with prepared.script("--queues-to-dataset --report {}".format(path)) as (tf, _), tf.Graph().as_default():
        batch = numbers(tf)
        with tf.Session() as session:
            started(tf, session)
            session.run(batch)
    [plan] = json.loads(path.read_text())["queues"]
    assert (plan["name"], plan["promise"]) == ("numbers/fifo_queue", "same sequence")
    assert plan["steps"][-1].startswith("prefetch(")


def test_a_graph_without_queue_runners_that_grows_is_not_converted_again(monkeypatch, capsys):
    converted = []
    monkeypatch.setattr(queue_conversion, "convert", lambda graph: converted.append(graph) or convert(graph))
    with prepared.script("--queues-to-dataset") as (tf, _), tf.Graph().as_default() as graph:
        queue = tf.FIFOQueue(4, [tf.int32], [[]], name="fed")
        fill, value = queue.enqueue([7]), queue.dequeue()
        with tf.Session() as session:
            for each in range(5):
                session.run(fill)
                assert session.run(value + each) == 7 + each
        assert converted == []
    assert converted == [graph]
    assert capsys.readouterr().err.count("'fed' stays a queue") == 1


@pytest.mark.parametrize("offset, reads_dataset", [(None, True), ("fed", False)], ids=["converted", "refused"])
def test_a_queue_runner_that_the_script_starts_itself(offset, reads_dataset, capsys):
    with prepared.script("--queues-to-dataset") as (tf, _), tf.Graph().as_default():
        keys = tf.constant([0, 1, 2], tf.int64)
        table = tf.lookup.StaticHashTable(tf.lookup.KeyValueTensorInitializer(keys, keys * 10), -1)
        value = table.lookup(tf.constant([0, 1, 2], tf.int64))
        value = value if offset is None else value + tf.placeholder_with_default(tf.constant(0, tf.int64), [])
        queue = tf.FIFOQueue(6, [tf.int64], [[]], name="own")
        runner = tf.train.QueueRunner(queue, [queue.enqueue_many([value])])
        assert isinstance(runner, tf.train.QueueRunner)
        batch = queue.dequeue_many(3)
        with tf.Session() as session:
            session.run(tf.tables_initializer())
            coordinator = tf.train.Coordinator()
            threads = runner.create_threads(session, coord=coordinator, start=True)
            assert (threads == []) == reads_dataset
            assert tf.get_collection(tf.GraphKeys.QUEUE_RUNNERS).count(runner) == 0
            assert [session.run(batch).tolist() for _ in range(3)] == [[0, 10, 20]] * 3
            coordinator.request_stop()
            coordinator.join(threads, stop_grace_period_secs=5)
    assert ("'own' is read by tf.data" in capsys.readouterr().err) == reads_dataset


def filled_by_python(tf):
    """Returns a placeholder, the operation that puts it into a queue `q`, and batches that a queue runner makes."""
    number = tf.placeholder(tf.int32, [])
    queue = tf.FIFOQueue(9, [tf.int32], [[]], name="q")
    return number, queue.enqueue([number]), tf.train.batch([queue.dequeue()], 2, name="numbers")


def test_a_queue_that_a_thread_fills_is_named(capsys):
    with prepared.script("--queues-to-dataset") as (tf, _), tf.Graph().as_default():
        number, fill, batch = filled_by_python(tf)
        with tf.Session() as session:
            coordinator = tf.train.Coordinator()
            assert tf.train.start_queue_runners(session, coordinator) == []
            for each in range(4):
                session.run(fill, {number: each})
            assert [session.run(batch).tolist() for _ in range(2)] == [[0, 1], [2, 3]]
            coordinator.request_stop()
    line = "'numbers/fifo_queue' is read by tf.data: same sequence; Python code fills 'q' as before\n"
    assert capsys.readouterr().err.count(line) == 1


@pytest.mark.parametrize("of_config", [False, True], ids=["RunOptions", "ConfigProto"])
def test_a_time_limit_of_a_run_that_takes_what_a_thread_puts_in(of_config):
    with prepared.script("--queues-to-dataset") as (tf, _), tf.Graph().as_default():
        number, fill, batch = filled_by_python(tf)
        total = tf.reduce_sum(batch)
        config = tf.ConfigProto(operation_timeout_in_ms=60000 if of_config else 0)
        options = None if of_config else tf.RunOptions(timeout_in_ms=60000)
        with tf.Session(config=config) as session:
            tf.train.start_queue_runners(session)
            session.run(fill, {number: 1}, options=options)
            for fetches in (batch, {"total": total}):
                with pytest.raises(ArgumentError, match="a time limit of 60000 ms and takes from 'numbers/fifo_queue'"):
                    session.run(fetches, options=options)


def test_a_step_of_a_script_that_starts_its_queues_itself_may_need_a_table():
    with prepared.script("--queues-to-dataset") as (tf, _), tf.Graph().as_default():
        keys = tf.constant(list(range(4)), tf.int64)
        table = tf.lookup.StaticHashTable(tf.lookup.KeyValueTensorInitializer(keys, keys * 2), -1)
        number = tf.train.range_input_producer(4, shuffle=False).dequeue()
        batch = tf.train.batch([table.lookup(tf.cast(number, tf.int64))], 2)
        weight = tf.get_variable("weight", [], initializer=tf.ones_initializer())
        step = tf.train.GradientDescentOptimizer(0.5).minimize(tf.reduce_mean(tf.cast(batch, tf.float32)) * weight)
        with tf.Session() as session:
            session.run([tf.global_variables_initializer(), tf.tables_initializer()])
            tf.train.start_queue_runners(session)
            session.run(step)
            assert session.run(weight) == 0.5


def test_a_queue_is_closed_by_an_operation_that_is_built_after_the_conversion():
    with prepared.script("--queues-to-dataset") as (tf, _), tf.Graph().as_default():
        number = tf.train.range_input_producer(4, num_epochs=1, shuffle=False).dequeue()
        queue = tf.FIFOQueue(9, [tf.int32], [[]])
        tf.train.add_queue_runner(tf.train.QueueRunner(queue, [queue.enqueue([number])]))
        batch = queue.dequeue_many(2)
        with tf.Session() as session:
            started(tf, session)
            assert session.run(batch).tolist() == [0, 1]
            session.run(queue.close(cancel_pending_enqueues=True))
            assert session.run(queue.is_closed())
