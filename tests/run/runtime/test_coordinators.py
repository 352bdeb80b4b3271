"""tf.train.Coordinator prints the error of a thread, also where the script reports the end of its epochs only."""
import pytest
from run.runtime.prepared import script

WORDS = ["1", "2", "x", "4"]


def queue_runner(tf, session, coordinator):
    word = tf.train.string_input_producer(WORDS, 1, shuffle=False).dequeue()
    batch = tf.train.batch([tf.string_to_number(word)], 2)
    session.run(tf.local_variables_initializer())
    return batch, tf.train.start_queue_runners(session, coordinator)


def own_thread(tf, session, coordinator):
    queue = tf.FIFOQueue(2, tf.float32, [[]])
    placeholder = tf.placeholder(tf.float32, [])
    enqueue, close = queue.enqueue(placeholder), queue.close(cancel_pending_enqueues=True)

    def fill():
        with coordinator.stop_on_exception():
            try:
                for word in WORDS:
                    session.run(enqueue, {placeholder: float(word)})
            finally:
                session.run(close)

    import threading

    thread = threading.Thread(target=fill, name="filler")
    thread.start()
    return queue.dequeue(), [thread]


CASES = {
    "a queue runner": (queue_runner, "InvalidArgumentError: StringToNumberOp could not correctly convert string: x"),
    "a thread of the script": (own_thread, "the thread filler ended with ValueError: could not convert string to"),
}


def loop(tf, session, coordinator, batch):
    try:
        while not coordinator.should_stop():
            session.run(batch)
    except tf.errors.OutOfRangeError:
        print("epoch limit reached")
    finally:
        coordinator.request_stop()


@pytest.mark.parametrize("start, error", list(CASES.values()), ids=list(CASES))
def test_the_error_of_a_thread_is_printed_where_the_loop_ends_as_at_the_end_of_the_data(start, error, capsys):
    with script() as (tf, _):
        with tf.Graph().as_default(), tf.Session() as session:
            coordinator = tf.train.Coordinator()
            batch, threads = start(tf, session, coordinator)
            loop(tf, session, coordinator, batch)
            for each in threads:
                each.join()
        assert isinstance(tf.train.Supervisor(graph=tf.Graph()).coord, tf.train.Coordinator)
    printed = capsys.readouterr()
    assert printed.err.count(error) == 1 and printed.err.count("legacy-towers: the thread ") == 1


def test_the_end_of_the_data_is_no_error(capsys):
    with script() as (tf, _):
        with tf.Graph().as_default(), tf.Session() as session:
            coordinator = tf.train.Coordinator()
            word = tf.train.string_input_producer(["1", "2"], 1, shuffle=False).dequeue()
            session.run(tf.local_variables_initializer())
            threads = tf.train.start_queue_runners(session, coordinator)
            loop(tf, session, coordinator, word)
            coordinator.join(threads)
    assert "the thread" not in capsys.readouterr().err
