"""What an observer records of a script's sessions."""
import threading

import pytest
from run.runtime import prepared

from legacy_towers.run.runtime.observation import Observer


@pytest.fixture
def observed():
    """Yields (the script's tf, the observer, a graph)."""
    with prepared.script() as (tf, run), tf.Graph().as_default() as graph:
        run.runtime.observer = Observer()
        yield tf, run.runtime.observer, graph


def test_runs_and_what_they_need(observed):
    tf, observer, graph = observed
    one, two = tf.constant(1, name="one"), tf.constant(2, name="two")
    total = tf.add(one, two, name="total")
    with tf.Session() as session:
        assert session.run({"a": [total], "b": "one:0"}) == {"a": [3], "b": 1}
        assert session.make_callable(two)() == 2
    seen = observer.graphs[graph]
    assert [{each.name for each in fetched} for fetched in seen.runs] == [{"total", "one"}]
    assert {each.name for each in seen.ran(seen.runs[0])} == {"total", "one", "two"}
    assert seen.all_ran() >= {two.op}


def test_growth_between_runs_is_recorded_by_line(observed):
    tf, observer, graph = observed
    with tf.Session() as session:
        for _ in range(3):
            session.run(tf.constant(1))
        last = session.run
        last(graph.get_operations()[0])
    growths = observer.graphs[graph].growths
    assert [[(each.kind, each.number) for each in growth] for growth in growths] == [[("Const", 1)], [("Const", 1)], []]
    assert growths[0][0].line == growths[1][0].line and "test_observation.py, line " in growths[0][0].line


def test_the_runs_of_monitored_sessions_and_their_coordinator(observed):
    tf, observer, graph = observed
    step = tf.train.get_or_create_global_step()
    add = tf.assign_add(step, 1)
    with tf.train.MonitoredTrainingSession() as session:
        session.run(add)
    seen = observer.graphs[graph]
    assert add.op in seen.all_ran() and step.initializer in seen.all_ran()
    assert seen.starts == []  # the session starts its queue runners with a coordinator of its own


def test_sessions_that_are_open_at_one_time(observed):
    tf, observer, graph = observed
    for _ in range(3):
        with tf.Session():
            pass
    kept = [tf.Session() for _ in range(2)]
    assert sorted(observer.graphs[graph].most_open.values()) == [1, 2]
    for each in kept:
        each.close()


def test_a_run_of_another_thread_is_not_one_of_the_main_thread(observed):
    tf, observer, _ = observed
    taken = tf.FIFOQueue(1, [tf.int32], [[]]).dequeue()
    session = tf.Session()
    begun = threading.Event()

    def wait():
        begun.set()
        try:
            session.run(taken)
        except tf.errors.CancelledError:
            pass

    thread = threading.Thread(target=wait)
    thread.start()
    begun.wait()
    assert observer.seconds_of_main_run() == 0
    session.close()
    thread.join()
