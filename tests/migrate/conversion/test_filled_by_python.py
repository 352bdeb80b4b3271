"""Queues that Python threads fill by feed_dict: what is behind them is read by tf.data, and ends as it did."""
import threading

import numpy as np
import pytest
from python_queue import Filled

from legacy_towers.compat import tf
from legacy_towers.migrate import convert

SECONDS = 60


@pytest.fixture(autouse=True)
def graph():
    with tf.Graph().as_default() as graph:
        yield graph


def read(session, fetches, most=100):
    """Returns the values of `fetches` in all steps until the input ends, as lists."""
    found = []
    try:
        while len(found) < most:
            found.append(np.asarray(session.run(fetches)).tolist())
    except tf.errors.OutOfRangeError:
        pass
    return found


def in_thread(function, *arguments):
    thread = threading.Thread(target=function, args=arguments, daemon=True)
    thread.start()
    return thread


def converted():
    [plan] = convert().plans
    assert plan.filled == ("q",) and plan.notes == (
        "Python code fills 'q' as before; tf.data dequeues from it until it is closed or the coordinator stops",
    )
    return plan


def batched(filled):
    return tf.train.batch([filled.queue.dequeue() * 2], 4, allow_smaller_final_batch=True)


def of_many(filled):
    return tf.train.batch([filled.queue.dequeue_many(3)], 4, enqueue_many=True, allow_smaller_final_batch=True)


def of_up_to(filled):
    return tf.train.batch([filled.queue.dequeue_up_to(3)], 4, enqueue_many=True, allow_smaller_final_batch=True)


def of_two_queues(filled):
    second = tf.FIFOQueue(5, [tf.int32], [[]])
    tf.train.add_queue_runner(tf.train.QueueRunner(second, [second.enqueue([filled.queue.dequeue() * 2])]))
    return tf.train.batch([second.dequeue() + 1], 4)


def filtered(filled):
    number = filled.queue.dequeue()
    return tf.train.maybe_batch([number], tf.equal(number % 2, 0), 3)


def of_a_queue_of_the_user(filled):
    second = tf.FIFOQueue(5, [tf.int32], [[]])
    tf.train.add_queue_runner(tf.train.QueueRunner(second, [second.enqueue([filled.queue.dequeue()])]))
    return second.dequeue_many(4)


SEQUENCES = [
    (batched, [[2 * (100 + n) for n in range(k, min(k + 4, 23))] for k in range(0, 23, 4)], "map(2 operations"),
    (of_many, [list(range(k, min(k + 4, 121))) for k in range(100, 121, 4)], "dequeue_many(3) of 'q'"),
    (of_up_to, [list(range(k, min(k + 4, 123))) for k in range(100, 123, 4)], "dequeue_up_to(3) of 'q'"),
    (of_two_queues, [[201 + 2 * n for n in range(k, k + 4)] for k in range(0, 20, 4)], "prefetch(6)"),
    (filtered, [[100, 102, 104], [106, 108, 110], [112, 114, 116], [118, 120, 122]], "filter(keep_input)"),
    (of_a_queue_of_the_user, [list(range(k, k + 4)) for k in range(100, 120, 4)], "dequeue() of 'q'"),
]


@pytest.mark.parametrize("build, expected, step", SEQUENCES, ids=[each[0].__name__ for each in SEQUENCES])
def test_elements_of_one_thread_come_in_order_and_end_when_the_queue_is_closed(build, expected, step):
    filled = Filled()
    batch = build(filled)
    plan = converted()
    assert plan.promise == "same sequence" and step in str(plan)

    def fill(session):
        filled.put(session, range(5))
        filled.put_all(session, range(5, 23))
        session.run(filled.close)

    with tf.Session() as session:
        coordinator = tf.train.Coordinator()
        assert tf.train.start_queue_runners(session, coordinator) == []
        thread = in_thread(fill, session)
        assert read(session, batch) == expected
        assert read(session, batch) == []  # the end stays the end
        coordinator.request_stop()
        thread.join(SECONDS)
        assert not thread.is_alive()


def test_padded_elements_of_a_padding_queue():
    filled = Filled(tf.PaddingFIFOQueue, shape=(None,))
    batch = tf.train.batch([filled.queue.dequeue()], 2, dynamic_pad=True)
    assert converted().promise == "same sequence"
    with tf.Session() as session:
        tf.train.start_queue_runners(session)
        filled.put(session, [[1], [2, 3], [4, 5, 6], []])
        assert read(session, batch, 2) == [[[101, 0], [102, 103]], [[104, 105, 106], [0, 0, 0]]]


@pytest.mark.parametrize("towers", [1, 2], ids=["one read", "a read for each of two towers"])
def test_several_threads_fill_a_shuffling_queue_that_towers_read(towers):
    filled = Filled(tf.RandomShuffleQueue, capacity=20, min_after_dequeue=5)
    second = tf.FIFOQueue(12, [tf.int32], [[]], name="second")
    runner = tf.train.QueueRunner(second, [second.enqueue([filled.queue.dequeue()])] * 2)
    tf.train.add_queue_runner(runner)
    batches = [second.dequeue_many(4) for _ in range(towers)]
    plan = converted()
    assert plan.promise == "same set" and "'q' shuffles; 2 threads fill 'second'" in plan.reason
    with tf.Session() as session:
        tf.train.start_queue_runners(session)
        threads = [in_thread(filled.put, session, range(k, k + 20)) for k in (0, 20, 40, 60)]
        found = []
        for _ in range(40 // (4 * towers)):
            found += np.ravel(session.run(batches)).tolist()
        for thread in threads:
            thread.join(SECONDS)
        session.run(filled.close)
        while len(found) < 80:
            found += np.ravel(session.run(batches)).tolist()
    assert sorted(found) == list(range(100, 180)) and found != sorted(found)


def test_a_shuffle_waits_for_no_more_elements_than_the_queue_did():
    filled = Filled()
    batch = tf.train.shuffle_batch([filled.queue.dequeue()], 4, capacity=1000, min_after_dequeue=6)
    assert "shuffle(7)" in str(converted())
    with tf.Session() as session:
        tf.train.start_queue_runners(session)
        filled.put(session, range(10))  # the queue is not closed
        assert set(session.run(batch)) <= set(range(100, 110))


def test_as_many_elements_as_all_queues_had_room_for_are_put_in_before_one_is_read():
    filled = Filled(capacity=3)
    second = tf.RandomShuffleQueue(30, 10, [tf.int32], [[]])
    tf.train.add_queue_runner(tf.train.QueueRunner(second, [second.enqueue([filled.queue.dequeue()])]))
    batch = tf.train.batch([second.dequeue()], 7, capacity=16)
    converted()
    with tf.Session() as session:
        tf.train.start_queue_runners(session)
        filled.put(session, range(3 + 30 + 16 + 2))  # queue runners hold two of them
        assert len(session.run(batch)) == 7


def test_the_coordinator_ends_what_waits_for_elements_and_its_thread_goes_on():
    filled = Filled()
    batch = batched(filled)
    converted()
    seen = []

    def fill(session, coordinator):
        filled.put(session, range(9))
        coordinator.request_stop()
        seen.append(session.run(size))

    size = filled.queue.size()
    with tf.Session() as session:
        coordinator = tf.train.Coordinator()
        tf.train.start_queue_runners(session, coordinator)
        thread = in_thread(fill, session, coordinator)
        assert read(session, batch) == SEQUENCES[0][1][:2] + [[216]]
        thread.join(SECONDS)
        coordinator.join([thread], stop_grace_period_secs=SECONDS)
    assert len(seen) == 1


@pytest.mark.parametrize("count", [4, None], ids=["no element", "no room for the next element"])
def test_a_session_closes_while_its_dataset_or_a_thread_waits(count, graph):
    filled = Filled(capacity=4)
    batch = batched(filled)
    converted()
    ended = []

    def fill(session):
        try:
            filled.put(session, range(1000))
        except (tf.errors.CancelledError, RuntimeError):
            ended.append(True)

    def use():
        with graph.as_default():
            session = tf.Session()
            tf.train.start_queue_runners(session)
            threads = []
            if count is None:
                threads.append(in_thread(fill, session))
            else:
                filled.put(session, range(count))
            assert len(session.run(batch)) == 4
            session.close()
            with pytest.raises(RuntimeError):
                session.run(batch)
            for thread in threads:
                thread.join(SECONDS)
            ended.append("closed")

    user = in_thread(use)
    user.join(SECONDS)
    assert ended == ([True, "closed"] if count is None else ["closed"])


def test_a_second_session_and_a_second_start(graph):
    filled = Filled()
    batch = batched(filled)
    converted()
    for _ in range(2):
        with tf.Session() as session:
            tf.train.start_queue_runners(session)
            filled.put(session, range(8))
            assert session.run(batch).tolist() == [200, 202, 204, 206]
            tf.train.start_queue_runners(session)
            session.run(tf.tables_initializer())
            assert session.run(batch).tolist() == [208, 210, 212, 214]


def test_sizes_of_the_queue_are_those_of_the_queue():
    filled = Filled()
    batched(filled)
    size = tf.identity(filled.queue.size() * 2)
    converted()
    with tf.Session() as session:
        filled.put(session, range(3))
        assert session.run(size) == 6


def test_names_of_files_that_python_code_puts_in(tmp_path):
    for number in range(2):
        (tmp_path / str(number)).write_text("{0}1\n{0}2\n".format(number))
    name = tf.placeholder(tf.string, [])
    queue = tf.FIFOQueue(10, [tf.string], [[]], name="q")
    enqueue, close = queue.enqueue([name]), queue.close()
    batch = tf.train.batch([tf.TextLineReader().read(queue)[1]], 2)
    assert converted().promise == "same sequence"
    with tf.Session() as session:
        tf.train.start_queue_runners(session)
        for number in range(2):
            session.run(enqueue, {name: str(tmp_path / str(number))})
        session.run(close)
        assert read(session, batch) == [[b"01", b"02"], [b"11", b"12"]]


def test_what_python_code_takes_from_a_queue_runner_stays():
    number = tf.train.range_input_producer(6, num_epochs=1, shuffle=False).dequeue()
    queue = tf.FIFOQueue(10, [tf.int32], [[]], name="q")
    enqueue = queue.enqueue([number])
    batch = tf.train.batch([queue.dequeue()], 3)
    assert converted().promise == "same sequence"
    with tf.Session() as session:
        session.run(tf.local_variables_initializer())
        coordinator = tf.train.Coordinator()
        threads = tf.train.start_queue_runners(session, coordinator)
        assert threads
        for _ in range(6):
            session.run(enqueue)
        assert read(session, batch, 2) == [[0, 1, 2], [3, 4, 5]]
        coordinator.request_stop()
        coordinator.join(threads, stop_grace_period_secs=SECONDS)


def test_a_table_that_elements_are_looked_up_in():
    filled = Filled()
    keys = tf.constant(list(range(100, 110)), tf.int64)
    table = tf.lookup.StaticHashTable(tf.lookup.KeyValueTensorInitializer(keys, keys * 3), -1)
    batch = tf.train.batch([table.lookup(tf.cast(filled.queue.dequeue(), tf.int64))], 3)
    converted()
    with tf.Session() as session:
        session.run(tf.tables_initializer())
        tf.train.start_queue_runners(session)
        filled.put(session, range(3))
        assert session.run(batch).tolist() == [300, 303, 306]
