"""A step that waits for input: the report of what it waits for, and the end of the run."""
import os
import re
import threading
import time
import warnings

import numpy as np
import processes
import pytest
import waiting

import legacy_towers as lt
from legacy_towers.cluster.value import Cluster, Task
from legacy_towers.compat import tf
from legacy_towers.errors import ArgumentError, StallError
from legacy_towers.step.watch_workers import WatchWorkersHook
from legacy_towers.training.checkpoints.newest import find_newest
from legacy_towers.training.hooks.stall import StallHook
from legacy_towers.training.hooks.stall_report import StallReport


class Feeder:
    """Gives three examples, and the others when `go_on` is set."""

    def __init__(self):
        self.go_on = threading.Event()

    def __call__(self):
        for number in range(8):
            if number == 3:
                self.go_on.wait(60)
            yield float(number)


def step_of(feeder):
    queue = tf.FIFOQueue(10, [tf.float32], [[]], name="numbers")

    def model_fn(batch, mode):
        return lt.TowerOutput(loss=tf.reduce_mean((batch - tf.get_variable("w", [])) ** 2))

    return lt.build_train_step(
        model_fn, lt.inputs.from_queue(queue, per_tower_batch_size=1, feed_with=feeder),
        tf.train.GradientDescentOptimizer(0.1), lt.devices.cpus(2),
    )


def test_a_stall_is_reported_once_with_the_queue_the_towers_and_the_line_of_the_feeder():
    feeder, reports, threads = Feeder(), [], threading.enumerate()
    step = step_of(feeder)

    def report(text):
        reports.append(text)
        # The hook looks every 0.05 s, so that it would report the same stall again before this.
        threading.Timer(0.5, feeder.go_on.set).start()

    stall = StallHook(step, 0.5, report=report)
    with tf.train.MonitoredSession(
        tf.train.ChiefSessionCreator(config=lt.session_config(logical_cpus=2)), [stall] + list(step.hooks)
    ) as session:
        steps = 0
        while not session.should_stop():
            session.run(step.train_op)
            steps += 1
    assert steps == 4 and len(reports) == 1
    report = reports[0]
    # A tower has taken the third example.
    assert "the queue 'numbers' is read by tower 0 and tower 1: empty (capacity 10)" in report
    assert "the thread 'legacy_towers queue feed' is at {}:".format(__file__) in report
    assert "in __call__: self.go_on.wait(60)" in report
    assert "the session's thread is at {}:".format(__file__) in report
    assert waiting.threads_since(threads) == []


def test_a_report_names_iterators_and_the_workers_that_have_to_run_the_step():
    step = lt.build_train_step(
        lambda batch, mode: lt.TowerOutput(loss=tf.reduce_mean(batch["x"] * tf.get_variable("w", []))),
        lt.inputs.dataset(lt.Examples.from_arrays({"x": np.zeros([4], np.float32)}), per_tower_batch_size=1),
        tf.train.GradientDescentOptimizer(0.1), lt.devices.cpus(1),
    )
    step.hooks.append(WatchWorkersHook(Cluster((("worker", ("h1:1", "h2:1", "h3:1")),), Task("worker", 1))))
    with tf.Session() as session:
        lines = StallReport(step).text(session, None).splitlines()
    assert lines[0].endswith("is read by tower 0: whether it has an element is unknown")
    assert lines[1] == "  worker:0 and worker:2: each worker has to run the same step"


def test_an_abort_saves_the_last_step_and_raises_an_error_although_tensorflow_waits(tmp_path):
    feeder, threads = Feeder(), threading.enumerate()
    step = step_of(feeder)
    run = lt.training.session(
        step, str(tmp_path), config=lt.session_config(logical_cpus=2), stall_seconds=0.5, on_stall="abort"
    )
    with pytest.raises(StallError, match="no step for .*\n.*the queue 'numbers' is read by tower 0"):
        with run as session:
            while not session.should_stop():
                session.run(step.train_op)
    feeder.go_on.set()
    newest = find_newest(str(tmp_path))
    assert newest.step == 1 and newest.problems == [] and "training.lock" not in os.listdir(str(tmp_path))
    assert waiting.threads_since(threads) == []


def test_a_bare_session_reports_the_waiting_of_the_steps_own_hooks():
    feeder, reports, threads = Feeder(), [], threading.enumerate()
    placeholders = lt.tower_placeholders(tf.TensorSpec([], tf.float32), 1)

    def model_fn(batch, mode):
        return lt.TowerOutput(loss=(batch - tf.get_variable("w", [])) ** 2)

    step = lt.build_train_step(
        model_fn, lt.inputs.from_placeholders(placeholders, ([value] for value in feeder())),
        tf.train.GradientDescentOptimizer(0.1), lt.devices.cpus(1),
    )

    def report(text):
        reports.append(text)
        feeder.go_on.set()

    with tf.Session() as session, step.running(session, [StallHook(step, 0.2, report=report)]) as run:
        steps = 0
        while True:
            run(step.loss)
            steps += 1
    assert len(reports) == 1 and "in __call__: self.go_on.wait(60)" in reports[0]
    assert waiting.threads_since(threads) == []


def test_an_abort_in_a_bare_session_raises_the_stall_and_warns_of_nothing_else():
    feeder, threads = Feeder(), threading.enumerate()
    step = step_of(feeder)
    with warnings.catch_warnings(record=True) as warned:
        warnings.simplefilter("always")
        with tf.Session(config=lt.session_config(logical_cpus=2)) as session:
            with pytest.raises(StallError, match="no step for .*\n.*the queue 'numbers' is read by tower 0"):
                with step.running(session, [StallHook(step, 0.2, "abort")]) as run:
                    while True:
                        run()
        feeder.go_on.set()
    assert not [each for each in warned if "besides the error" in str(each.message)]
    assert waiting.threads_since(threads) == []


def asynchronous_step(go_on):
    """Returns a step whose tower 1 waits in its fourth update until `go_on` is set."""
    counts = []

    def wait():
        counts.append(1)
        if len(counts) > 3:
            go_on.wait(60)
        return np.float32(1)

    def batch(tower):
        if tower == 0:
            return tf.ones([]) + 0 * tf.random.uniform([], seed=1)
        value = tf.py_func(wait, [], tf.float32)
        value.set_shape([])
        return value

    def model_fn(batch, mode):
        return lt.TowerOutput(loss=(batch - tf.get_variable("w", [])) ** 2)

    return lt.build_train_step(
        model_fn, lt.inputs.from_tensors(per_tower=[batch(0), batch(1)]), tf.train.GradientDescentOptimizer(0.1),
        lt.devices.cpus(2), variables=lt.variables.Asynchronous(),
    )


def of_tower_1(reports):
    """Returns the reports of tower 1: on a busy machine, steps of tower 0 may be slow too."""
    beginning = r"no update of tower 1, which trains asynchronously, for \d+ s; the towers wait for:\n"
    return [text for text in reports if re.match(beginning, text)]


@pytest.mark.parametrize("on_stall", ["wait", "abort"])
def test_the_stall_of_an_asynchronous_tower_names_it(on_stall):
    go_on, reports, threads = threading.Event(), [], threading.enumerate()
    step = asynchronous_step(go_on)
    stall = StallHook(step, 1.0, on_stall, report=reports.append)
    with tf.Session(config=lt.session_config(logical_cpus=2)) as session:
        caught = None
        try:
            with step.running(session, [stall]) as run:
                while not of_tower_1(reports):
                    run()
                    time.sleep(0.01)
                go_on.set()
        except StallError as error:
            caught = error
            go_on.set()
    if on_stall == "wait":
        assert caught is None
        text, = of_tower_1(reports)
    else:
        text, = of_tower_1([str(caught)])
        assert text.endswith("no checkpoint is saved: the update of tower 1 has not ended")
        assert of_tower_1(reports) == []
    assert "in wait: go_on.wait(60)" in text
    assert waiting.threads_since(threads) == []


def test_the_limits_are_checked():
    with pytest.raises(ArgumentError, match="seconds is 0: a time above 0 is needed"):
        StallHook(seconds=0)
    with pytest.raises(ArgumentError, match="on_stall is 'stop': allowed are 'wait' and 'abort'"):
        StallHook(on_stall="stop")


STAGING = """
    from legacy_towers.compat import tf
    import legacy_towers as lt
    from legacy_towers.training.hooks import stall
    stall._LEAVING_SECONDS = 0.5

    area = tf.raw_ops.Unstage(dtypes=[tf.float32], shared_name="area")
    with tf.train.MonitoredSession(hooks=[lt.training.StallHook(seconds=0.01, on_stall="abort")]) as session:
        session.run(area)
"""


@pytest.mark.slow
def test_a_blocked_staging_area_does_not_keep_the_process_alive(tmp_path):
    done = processes.run_preloaded(STAGING, cwd=str(tmp_path))
    assert done.returncode == 1 and "legacy_towers: the process ends: no step for" in done.stderr, done.stderr
