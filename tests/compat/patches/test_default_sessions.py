"""Sessions that TensorFlow makes for workers: how long they sleep until the chief has initialized the variables."""
import pytest

from legacy_towers.compat import tf
from legacy_towers.compat.patches.default_sessions import short_waits_for_the_chief


class Slept(Exception):
    pass


def _sleep_of_a_worker(monkeypatch, **arguments):
    """Returns for how many seconds a worker sleeps whose chief has not initialized the variables."""

    def sleep(seconds):
        raise Slept(seconds)

    monkeypatch.setattr("time.sleep", sleep)
    tf.get_variable("weights", [2])
    manager = tf.train.SessionManager(ready_op=tf.report_uninitialized_variables(), **arguments)
    with pytest.raises(Slept) as slept:
        manager.wait_for_session("", max_wait_secs=7200)
    monkeypatch.undo()
    return slept.value.args[0]


@pytest.mark.parametrize("given, expected", [({}, 1.0), ({"recovery_wait_secs": 0.25}, 0.25)])
def test_a_worker_looks_each_second_whether_the_variables_are_initialized(given, expected, monkeypatch):
    with short_waits_for_the_chief():
        assert _sleep_of_a_worker(monkeypatch, **given) == expected


def test_afterwards_a_worker_sleeps_as_tensorflow_lets_it(monkeypatch):
    with short_waits_for_the_chief():
        pass
    assert _sleep_of_a_worker(monkeypatch) == 30
