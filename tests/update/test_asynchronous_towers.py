"""How the threads of asynchronous towers start, pause and end: in a MonitoredTrainingSession and in a bare session."""
import contextlib
import os
import threading
import time

import numpy as np
import pytest

from legacy_towers.compat import tf
from legacy_towers.errors import ArgumentError
from legacy_towers.step.running import Running
from legacy_towers.update.asynchronous_towers import AsynchronousTowers

NAME = "legacy_towers tower"
KINDS = ["monitored", "bare"]


def threads():
    return [thread.name for thread in threading.enumerate() if thread.name.startswith(NAME)]


def wait_until(condition):
    """Waits for another thread; fails the test if that takes too long."""
    for _ in range(6000):
        if condition():
            return
        time.sleep(0.01)
    raise AssertionError("it has not happened within a minute")


def stands_still(session, count):
    """Returns whether two values, read 50 ms apart, are the same."""
    before = session.run(count)
    time.sleep(0.05)
    return session.run(count) == before


class Model:
    """Towers that each count their updates in a variable; the test gives the operation that an update runs."""

    def __init__(self, actions, towers=None):
        self.counts = []
        self.train_ops = []
        for tower, action in enumerate(actions):
            count = tf.get_variable("count_{}".format(tower), [], tf.int64, tf.zeros_initializer(), use_resource=True)
            with tf.control_dependencies([action] if action is not None else []):
                self.train_ops.append(tf.assign_add(count, 1).op)
            self.counts.append(count)
        with tf.variable_scope("", use_resource=True):
            self.step = tf.train.get_or_create_global_step()
        self.hook = AsynchronousTowers(self.train_ops, [tf.constant(0, tf.int64)] * len(actions), towers)
        self.initialize = tf.global_variables_initializer()

    @contextlib.contextmanager
    def session(self, kind, hooks=()):
        """Gives (a function that runs a fetch in the step's session, the raw session)."""
        hooks = [self.hook] + list(hooks)
        if kind == "monitored":
            with tf.train.MonitoredTrainingSession(hooks=hooks) as session:
                yield session.run, session._tf_sess()
        else:
            with tf.Session() as session:
                with Running(session, self.train_ops[0], hooks, lambda each: each.run(self.initialize)) as run:
                    yield (lambda fetch: run(None if fetch is self.train_ops[0] else fetch)), session

    def updates(self):
        return [tower.updates for tower in self.hook.staleness]


def numbers(count):
    """Returns an operation that takes one of `count` elements of a dataset."""
    return tf.data.make_one_shot_iterator(tf.data.Dataset.range(count)).get_next().op


class Gate:
    """An operation that waits in Python until it is released."""

    def __init__(self):
        self.reached, self.open = threading.Event(), threading.Event()
        self.op = tf.py_func(self._wait, [], tf.bool).op

    def _wait(self):
        self.reached.set()
        assert self.open.wait(60)
        return True


@pytest.mark.parametrize("kind", KINDS)
def test_all_towers_stop_when_the_callers_loop_ends(kind):
    model = Model([None, None, None])
    with model.session(kind) as (run, session):
        assert threads() == []
        run(model.train_ops[0])
        assert threads() == [NAME + " 1", NAME + " 2"]
        wait_until(lambda: min(model.updates()[1:]) > 3)  # the caller runs nothing meanwhile
        for _ in range(5):
            run(model.train_ops[0])
    wait_until(lambda: threads() == [])
    assert model.updates()[0] == 6


def test_threads_start_with_the_first_run_of_tower_0():
    """A session may be restored or evaluated, or its variables assigned, before training starts."""
    model = Model([None, None])
    with model.session("monitored") as (run, session):
        for _ in range(3):
            assert run(model.counts) == [0, 0]
            run(tf.get_default_graph().get_tensor_by_name("global_step:0"))
        assert threads() == [] and model.updates() == [0, 0]
        run([model.train_ops[0], model.counts[0]])
        wait_until(lambda: model.updates()[1] > 0)
    assert model.updates()[0] == 1


@pytest.mark.parametrize("kind", KINDS)
def test_the_data_of_another_tower_ends_first(kind):
    model = Model([None, numbers(4), numbers(9)])
    with model.session(kind) as (run, session):
        run(model.train_ops[0])
        wait_until(lambda: threads() == [])
        for _ in range(3):
            run(model.train_ops[0])
        assert session.run(model.counts) == [4, 4, 9]
    assert model.updates() == [4, 4, 9]


@pytest.mark.parametrize("kind", KINDS)
def test_the_data_of_tower_0_ends_first(kind):
    """The others continue to the end of their data."""
    gate = Gate()
    with tf.control_dependencies([gate.op]):
        slow = tf.data.make_one_shot_iterator(tf.data.Dataset.range(40)).get_next().op
    model = Model([numbers(3), slow, numbers(25)])
    done = []
    with model.session(kind, [AtEnd(lambda session: done.append(session.run(model.counts)))]) as (run, session):
        while True:
            if model.updates()[0] == 3:
                gate.open.set()
            run(model.train_ops[0])
    assert done == [[3, 40, 25]] and model.updates() == [3, 40, 25]
    wait_until(lambda: threads() == [])


class AtEnd(tf.train.SessionRunHook):
    def __init__(self, function):
        self.end = function


@pytest.mark.parametrize("kind", KINDS)
def test_all_towers_stop_when_the_caller_catches_the_end_of_data(kind):
    model = Model([numbers(3), None])
    with model.session(kind) as (run, session):
        try:
            while True:
                run(model.train_ops[0])
        except tf.errors.OutOfRangeError:
            pass
    wait_until(lambda: threads() == [])
    assert model.updates()[0] == 3


def failing(after):
    def count():
        numbers_.append(len(numbers_))
        if len(numbers_) > after:
            raise ValueError("record {} is damaged".format(len(numbers_)))
        return True

    numbers_ = []
    return tf.py_func(count, [], tf.bool).op


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("loop", ["asks", "never asks", "waits outside"])
def test_an_error_of_a_tower_is_raised_in_the_callers_loop(kind, loop):
    model = Model([None, None, failing(5)], [0, 1, 7])
    with pytest.raises(tf.errors.OpError, match=r"^tower 7, which trains asynchronously: (.|\n)*record 6 is damaged"):
        with model.session(kind) as (run, session):
            run(model.train_ops[0])
            if loop == "waits outside":
                wait_until(lambda: NAME + " 7" not in threads())
                assert session.run(model.counts[2]) == 5
            elif loop == "asks" and kind == "monitored":
                wait_until(lambda: NAME + " 7" not in threads())
                with pytest.raises(tf.errors.OpError, match="^tower 7, which trains"):
                    run(model.train_ops[0])
                raise AssertionError("the loop went on")
            else:
                for _ in range(100000):
                    run(model.train_ops[0])
    wait_until(lambda: threads() == [])


def test_an_error_keeps_its_class():
    missing = tf.data.make_one_shot_iterator(tf.data.TextLineDataset("there/is/no/such/file")).get_next().op
    model = Model([None, missing])
    with pytest.raises(tf.errors.NotFoundError, match="^tower 1, which trains asynchronously: .*no/such/file"):
        with model.session("monitored") as (run, session):
            while True:
                run(model.train_ops[0])


@pytest.mark.parametrize("kind", KINDS)
def test_an_error_in_the_callers_code_has_precedence(kind):
    model = Model([None, None])
    with pytest.raises(KeyError, match="mine"):
        with model.session(kind) as (run, session):
            run(model.train_ops[0])
            raise KeyError("mine")
    wait_until(lambda: threads() == [])


def test_an_error_of_tower_0_ends_the_others():
    model = Model([failing(2), None])
    with pytest.raises(tf.errors.OpError, match="record 3 is damaged") as error:
        with model.session("monitored") as (run, session):
            while True:
                run(model.train_ops[0])
    assert "which trains asynchronously" not in str(error.value)
    wait_until(lambda: threads() == [])


def test_all_towers_stop_when_a_hook_requests_it():
    model = Model([tf.assign_add(tf.train.get_or_create_global_step(), 1).op, None])
    with tf.train.MonitoredTrainingSession(hooks=[model.hook, tf.train.StopAtStepHook(last_step=4)]) as session:
        while not session.should_stop():
            session.run(model.train_ops[0])
    wait_until(lambda: threads() == [])
    assert model.updates()[0] == 4


@pytest.mark.parametrize("kind", KINDS)
def test_a_tower_that_waits_for_data_ends_with_the_session(kind):
    queue = tf.FIFOQueue(1, [tf.int64], [[]])
    fill = queue.enqueue(tf.constant(1, tf.int64))
    model = Model([None, queue.dequeue().op])
    with model.session(kind) as (run, session):
        run(model.train_ops[0])
        session.run(fill)
        wait_until(lambda: model.updates()[1] == 1)
    wait_until(lambda: threads() == [])
    assert model.updates() == [1, 1]


@pytest.mark.parametrize("kind", KINDS)
def test_the_error_of_a_failed_queue_runner_is_raised(kind):
    queue = tf.FIFOQueue(4, [tf.bool], [[]])
    with tf.control_dependencies([failing(6)]):
        enqueue = queue.enqueue(tf.constant(True))
    tf.train.add_queue_runner(tf.train.QueueRunner(queue, [enqueue]))
    model = Model([queue.dequeue().op, queue.dequeue().op])
    with pytest.raises(tf.errors.OpError, match="record 7 is damaged"):
        with model.session(kind) as (run, session):
            while True:
                run(model.train_ops[0])
    wait_until(lambda: threads() == [])


def test_paused_waits_for_updates_and_starts_none():
    gate = Gate()
    model = Model([None, gate.op, None])
    pauses, values = [], []

    def look():
        with model.hook.paused():
            pauses.append(True)
            values.append(session.run(model.counts))
            for _ in range(20):
                values.append(session.run(model.counts))

    with model.session("monitored") as (run, session):
        with model.hook.paused():
            assert run(model.train_ops[0]) is None  # the threads begin in a pause
            wait_until(lambda: len(threads()) == 2)
            assert session.run(model.counts) == [1, 0, 0]
        assert gate.reached.wait(60)
        wait_until(lambda: session.run(model.counts[2]) > 0)
        other = threading.Thread(target=look)
        other.start()
        wait_until(lambda: stands_still(session, model.counts[2]))
        assert pauses == []
        gate.open.set()
        other.join(60)
        before = model.updates()
        wait_until(lambda: min(np.array(model.updates()[1:]) - before[1:]) > 2)
    assert len(values) == 21 and all(value == values[0] for value in values)
    assert values[0][1] > 0


def test_an_error_inside_paused_resumes_the_towers():
    model = Model([None, None])
    with pytest.raises(KeyError):
        with model.session("monitored") as (run, session):
            run(model.train_ops[0])
            with model.hook.paused():
                raise KeyError("mine")
    wait_until(lambda: threads() == [])
    with model.hook.paused():  # of nothing
        pass


def test_pausing_listener_saves_consistent_checkpoints(tmp_path):
    """Each update writes both variables; checkpoints saved during pauses have them equal."""
    one = tf.get_variable("one", [], tf.int64, tf.zeros_initializer(), use_resource=True)
    two = tf.get_variable("two", [], tf.int64, tf.zeros_initializer(), use_resource=True)
    step = tf.train.get_or_create_global_step()

    def both():
        first = tf.assign_add(one, 1)
        with tf.control_dependencies([first, tf.py_func(lambda: time.sleep(0.002), [], [])]):
            return tf.assign_add(two, 1).op

    with tf.control_dependencies([both()]):
        zero = tf.assign_add(step, 1).op
    model = Model([zero, both(), both()])
    saver = tf.train.CheckpointSaverHook(
        str(tmp_path), save_steps=3, saver=tf.train.Saver(max_to_keep=100), listeners=[model.hook.pausing_listener()]
    )
    with tf.train.MonitoredTrainingSession(hooks=[saver, model.hook]) as session:
        session.run(model.train_ops[0])
        wait_until(lambda: min(model.updates()[1:]) > 0)
        for _ in range(19):
            session.run(model.train_ops[0])
    paths = sorted(os.path.join(str(tmp_path), name[:-6]) for name in os.listdir(str(tmp_path)) if ".index" in name)
    assert len(paths) >= 6
    readers = [tf.train.load_checkpoint(path) for path in paths]
    pairs = [(int(reader.get_tensor("one")), int(reader.get_tensor("two"))) for reader in readers]
    assert all(first == second for first, second in pairs) and max(pairs)[0] > 20


def test_sessions_one_after_the_other():
    model = Model([None, numbers(7)])
    for _ in range(3):
        with model.session("monitored") as (run, session):
            run(model.train_ops[0])
            wait_until(lambda: threads() == [])
    assert model.updates() == [3, 21]


def test_a_session_without_a_coordinator_is_refused():
    model = Model([None, None])
    with tf.Session() as session:
        with pytest.raises(ArgumentError, match="need the session's tf.train.Coordinator"):
            model.hook.after_create_session(session, None)


def test_one_tower_has_no_threads():
    model = Model([numbers(5)])
    with model.session("bare") as (run, session):
        while True:
            run(model.train_ops[0])
            assert threads() == []
    assert model.updates() == [5]
