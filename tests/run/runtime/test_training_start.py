"""When the first training step of a graph is seen, and what was recorded until then."""
import threading

import pytest
from run.runtime import prepared

from legacy_towers.run.runtime.training_start import TrainingStart


class Seen(list):
    """(names of all operations that were needed so far) of each graph that was examined; says `lines`."""

    def __init__(self, lines=()):
        super().__init__()
        self.lines, self.said = list(lines), []

    def examine(self, graph, observed):
        self.append({each.name for each in observed.all_ran()})
        return self.lines


@pytest.fixture
def start():
    """Yields a function that starts a script's run and returns (its tf, what is seen)."""
    with prepared.script() as (tf, run), tf.Graph().as_default():
        def begin(*lines):
            seen = Seen(lines)
            run.runtime.training_start = TrainingStart(seen.examine, seen.said.append)
            return tf, seen

        yield begin


def training(tf):
    w = tf.get_variable("w", [], initializer=tf.zeros_initializer())
    return tf.train.GradientDescentOptimizer(0.5).minimize(tf.square(w - 1.0), name="train"), w


def by_run(tf, session, train):
    session.run({"step": [train]})


def by_name(tf, session, train):
    session.run("train")


def by_callable(tf, session, train):
    session.make_callable(train)()


def by_fed_callable(tf, session, train):
    session.make_callable(train, feed_list=[])()


def by_operation(tf, session, train):
    train.run(session=session)


@pytest.mark.parametrize("step", [by_run, by_name, by_callable, by_fed_callable, by_operation])
def test_the_first_run_that_applies_gradients_is_examined_once(step, start):
    tf, seen = start("a line", "another")
    train, w = training(tf)
    with tf.Session() as session:
        session.run(w.initializer)
        session.run(w)
        assert seen == []
        step(tf, session, train)
        (needed,) = seen
        assert {"train", w.initializer.name} <= needed
        step(tf, session, train)
        assert session.run(w) == pytest.approx(1.0)
    with tf.Session() as another:
        another.run(w.initializer)
        step(tf, another, train)
    assert len(seen) == 1 and seen.said == ["a line", "another"]


def test_a_partial_run_that_applies_gradients_is_examined(start):
    tf, seen = start()
    rate = tf.placeholder(tf.float32, [])
    w = tf.get_variable("w", [], initializer=tf.zeros_initializer())
    with tf.control_dependencies([tf.train.GradientDescentOptimizer(rate).minimize(tf.square(w - 1.0))]):
        train = tf.constant(0)  # partial runs fetch tensors only
    with tf.Session() as session:
        session.run(w.initializer)
        session.partial_run(session.partial_run_setup([train], [rate]), train, {rate: 0.5})
        assert session.run(w) == pytest.approx(1.0)
    assert len(seen) == 1


def test_the_step_of_a_monitored_session_is_seen(start):
    tf, seen = start()
    step = tf.train.get_or_create_global_step()
    w = tf.get_variable("w", [], initializer=tf.zeros_initializer())
    train = tf.train.GradientDescentOptimizer(0.5).minimize(tf.square(w - 1.0), step)
    with tf.train.MonitoredTrainingSession() as session:
        assert session.run(step) == 0 and seen == []
        session.run(train)
        session.run(train)
    assert len(seen) == 1 and w.initializer.name in seen[0]


def test_each_graph_is_examined_and_a_line_is_printed_once(start):
    tf, seen = start("the same line")
    for _ in range(2):
        with tf.Graph().as_default():
            train, w = training(tf)
            with tf.Session() as session:
                session.run(w.initializer)
                session.run(train)
    assert len(seen) == 2 and seen.said == ["the same line"]


def test_training_that_is_added_to_a_graph_that_has_run_is_seen(start):
    tf, seen = start()
    with tf.Session() as session:
        session.run(tf.constant(1.0))
        train, w = training(tf)
        session.run(w.initializer)
        assert seen == []
        session.run(train)
    assert len(seen) == 1


def test_enqueue_operations_of_started_queue_runners_count_as_run(start):
    tf, seen = start()
    number = tf.train.range_input_producer(4, shuffle=False).dequeue()
    w = tf.get_variable("w", [], initializer=tf.zeros_initializer())
    train = tf.train.GradientDescentOptimizer(0.5).minimize(tf.square(w - tf.cast(number, tf.float32)))
    (runner,) = tf.get_collection(tf.GraphKeys.QUEUE_RUNNERS)
    (enqueue,) = runner.enqueue_ops
    with tf.Session() as session:
        session.run(w.initializer)
        coordinator = tf.train.Coordinator()
        threads = runner.create_threads(session, coordinator)  # not started: they make no callable
        blocked = threading.Thread(target=session.run, args=(train,))
        blocked.start()
        for thread in threads:
            thread.start()
        blocked.join()
        coordinator.request_stop()
        session.run(number)
        session.close()
        coordinator.join(threads)
    assert enqueue.name in seen[0]


def test_fetches_that_tensorflow_rejects_raise_its_error(start):
    tf, seen = start()
    training(tf)
    with tf.Session() as session, pytest.raises(TypeError):
        session.run([3])
    assert seen == []
