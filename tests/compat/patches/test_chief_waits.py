"""How workers wait whose chief has not initialized the variables: how long they sleep, and what they report."""
import threading
import time

import pytest

from legacy_towers.compat import tf
from legacy_towers.compat.patches import chief_waits
from legacy_towers.compat.patches.chief_waits import short_waits_for_the_chief


class Slept(Exception):
    pass


def _sleep_of_a_worker(monkeypatch, looks=1, **arguments):
    """Returns for how many seconds a worker sleeps after some looks; the chief has not initialized the variables."""
    slept = []
    real_sleep, own_thread = time.sleep, threading.get_ident()

    def sleep(seconds):
        if threading.get_ident() != own_thread:  # one that an earlier test has left
            real_sleep(seconds)
            return
        slept.append(seconds)
        if len(slept) == looks:
            raise Slept

    monkeypatch.setattr("time.sleep", sleep)
    tf.get_variable("weights", [2])
    manager = tf.train.SessionManager(ready_op=tf.report_uninitialized_variables(), **arguments)
    with pytest.raises(Slept):
        manager.wait_for_session("", max_wait_secs=7200)
    monkeypatch.undo()
    return slept[-1]


@pytest.mark.parametrize("given, expected", [({}, 1.0), ({"recovery_wait_secs": 0.25}, 0.25)])
def test_a_worker_looks_each_second_whether_the_variables_are_initialized(given, expected, monkeypatch):
    with short_waits_for_the_chief(pytest.fail):
        assert _sleep_of_a_worker(monkeypatch, **given) == expected


def test_afterwards_a_worker_sleeps_as_tensorflow_lets_it(monkeypatch):
    with short_waits_for_the_chief(pytest.fail):
        pass
    assert _sleep_of_a_worker(monkeypatch) == 30


@pytest.mark.parametrize("is_local", [False, True], ids=["ready_op", "ready_for_local_init_op"])
def test_a_worker_that_waits_reports_once_which_variables_are_not_initialized(is_local, monkeypatch):
    monkeypatch.setattr(chief_waits, "_REPORT_SECONDS", 0.0)
    reported, arguments = [], {}
    bias = tf.get_variable("bias", [2])
    if is_local:
        arguments["local_init_op"] = tf.no_op()
        arguments["ready_for_local_init_op"] = tf.report_uninitialized_variables([bias])
    with short_waits_for_the_chief(reported.append):
        _sleep_of_a_worker(monkeypatch, looks=3, **arguments)
    assert reported == [
        "this task has waited for 0 seconds for the chief to initialize the variables. Variables not initialized: {}. "
        "Does the chief run, and does it make the same variables on the same tasks?".format(
            "bias" if is_local else "bias, weights")
    ]


def test_a_long_list_of_variables_is_shortened(monkeypatch):
    monkeypatch.setattr(chief_waits, "_REPORT_SECONDS", 0.0)
    reported = []
    for number in range(200):
        tf.get_variable("v{}".format(number), [])
    with short_waits_for_the_chief(reported.append):
        _sleep_of_a_worker(monkeypatch)
    assert len(reported[0]) < 600 and ", v19, " in reported[0] and "v199" not in reported[0]
