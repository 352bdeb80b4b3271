"""Which tasks of a cluster are missing, by their servers: one that answers, one that hangs, one that has ended."""
import contextlib
import signal
import socket
import threading

import ports
import pytest
import waiting

import legacy_towers as lt
from legacy_towers.cluster import published
from legacy_towers.cluster import watch as watch_module
from legacy_towers.cluster.published import publish
from legacy_towers.cluster.records import STARTED, own_record
from legacy_towers.cluster.value import Cluster, Task
from legacy_towers.cluster.watch import Silent, Watch
from legacy_towers.compat import tf
from legacy_towers.errors import MissingTaskError
from legacy_towers.step import watch_workers
from legacy_towers.step.watch_workers import WatchWorkersHook


def test_tasks_that_hang_or_have_ended_are_missing_and_one_that_answers_is_not():
    with ports.held(3) as held, socket.socket() as hanging:
        hanging.bind(("127.0.0.1", 0))
        hanging.listen(5)  # connects, and never answers
        addresses = [each.replace("localhost", "127.0.0.1") for each in held]
        addresses[1] = "127.0.0.1:{}".format(hanging.getsockname()[1])
        hosts = "worker={}".format(",".join(addresses))
        server = lt.cluster.start_server(lt.cluster.from_environment({}, hosts=hosts, task="worker:0"))
        cluster = lt.cluster.from_environment({}, hosts=hosts, task="worker:0")
        record = own_record(cluster, "job", {})._replace(state=STARTED)
        publish(server.target, cluster.task, record.as_json())
        watch = Watch(cluster, seconds=1.0)
        watch.start()
        try:
            assert watch.silent() == []
            assert waiting.happens(lambda: [each.is_missing for each in watch.silent()] == [True, True])
            ended, hangs = watch.silent()  # what has ended is first
            assert str(hangs).startswith("worker:1, which has not answered at {} for ".format(addresses[1]))
            assert str(ended) == "worker:2, which has ended: nothing listens at {}".format(addresses[2])
            other = Watch(cluster._replace(task=lt.cluster.Task("worker", 1)), seconds=600.0)
            other.start()
            [own] = [each for each in other.readers if each.task == cluster.task]
            assert waiting.happens(lambda: own.answered_at is not None)
            assert cluster.task not in [each.task for each in other.silent()]
            # As a process does that was started again.
            publish(server.target, cluster.task, record._replace(state="present").as_json())
            assert waiting.happens(lambda: "worker:0, which was started again at {}".format(addresses[0]) in map(
                str, other.silent()
            ))
            other.stop()
        finally:
            watch.stop()


def test_the_session_in_place_of_a_lost_one_names_the_task_that_has_ended(monkeypatch):
    monkeypatch.setattr(watch_module, "_REFUSED_SECONDS", 0.2)
    monkeypatch.setattr(watch_workers, "_EXPLAINING_SECONDS", 120.0)  # for busy machines
    with ports.held(2) as held:
        hook = WatchWorkersHook(Cluster((("worker", tuple(held)),), Task("worker", 0)))
        hook.begin()
        try:
            with tf.Session(graph=tf.Graph()) as session:
                hook.after_create_session(session, tf.train.Coordinator())
                with pytest.raises(MissingTaskError, match="worker:0 waits for worker:1, which has ended"):
                    hook.after_create_session(session, tf.train.Coordinator())
            # What the session raises once the watch has closed it.
            closed = tf.errors.FailedPreconditionError(None, None, "Session is closed.")
            assert str(hook.explain(closed)).startswith("worker:0 waits for worker:1, which has ended")
            assert hook.explain(ValueError("of the job")) is None
        finally:
            hook.stop()


@pytest.mark.parametrize("ended", [
    tf.errors.InternalError(None, None, "Delete called on non-empty BufRendezvous"),
    tf.errors.CancelledError(None, None, "Collective ops is aborted by: op cancelled"),
], ids=["by the end of a session", "by a cancelled run"])
def test_a_step_that_another_task_has_ended_is_an_error_that_names_who_does_not_answer(ended, monkeypatch):
    monkeypatch.setattr(watch_workers, "_EXPLAINING_SECONDS", 0.1)
    hosts = ("127.0.0.1:1", "127.0.0.1:2", "127.0.0.1:3")
    hook = WatchWorkersHook(Cluster((("worker", hosts),), Task("worker", 0)))
    assert str(hook.explain(ended)) == (
        "another task has ended the step that worker:0 was running, with an error of its own: the output of worker:1 "
        "and worker:2 says which"
    )
    hook._silent = [Silent(Task("worker", 2), "has not answered for 9 seconds", False)]
    assert str(hook.explain(ended)) == "worker:0 waits for worker:2, which has not answered for 9 seconds"
    assert hook.explain(tf.errors.InternalError(None, None, "of an operation")) is None
    assert hook.explain(tf.errors.CancelledError(None, None, "the queue is closed")) is None


def test_a_connection_that_is_lost_again_before_a_step_is_an_error(monkeypatch):
    monkeypatch.setattr(watch_workers, "_EXPLAINING_SECONDS", 0.1)
    hook = WatchWorkersHook(Cluster((("worker", ("127.0.0.1:1",)),), Task("worker", 0)))
    hook.begin()
    try:
        with tf.Session(graph=tf.Graph()) as session:
            hook.after_create_session(session, tf.train.Coordinator())
            hook.after_create_session(session, tf.train.Coordinator())
            hook.after_run(None, None)
            hook.after_create_session(session, tf.train.Coordinator())
            with pytest.raises(MissingTaskError, match="has lost its connection to another task 2 times"):
                hook.after_create_session(session, tf.train.Coordinator())
    finally:
        hook.stop()


def test_a_watch_waits_for_its_calls_at_the_end_though_a_signal_has_interrupted_an_earlier_wait(monkeypatch):
    is_calling, may_end = threading.Event(), threading.Event()

    @contextlib.contextmanager
    def call(*arguments):
        is_calling.set()
        may_end.wait()
        raise tf.errors.AbortedError(None, None, "the call ends")
        yield

    def interrupt(number, frame):
        raise KeyboardInterrupt

    monkeypatch.setattr(published, "session_on", call)
    watch = Watch(lt.cluster.from_environment({}, hosts="worker=127.0.0.1:1,127.0.0.1:2", task="worker:0"))
    watch.start()
    assert is_calling.wait(120)
    previous = signal.signal(signal.SIGALRM, interrupt)
    try:
        with pytest.raises(KeyboardInterrupt):
            signal.setitimer(signal.ITIMER_REAL, 0.05)
            watch.stop()
    finally:
        signal.signal(signal.SIGALRM, previous)
    # As at the end of the process, which TensorFlow would abort if the call went on.
    threading.Timer(0.2, may_end.set).start()
    watch.stop()
    assert may_end.is_set()
