"""Signals during training."""
import os
import signal

import pytest

from legacy_towers.compat import tf
from legacy_towers.training.interrupt import InterruptHook


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM])
def test_the_first_signal_ends_the_loop_after_its_step(number):
    before = signal.getsignal(number)
    step = tf.no_op()
    hook = InterruptHook()
    with tf.train.MonitoredSession(hooks=[hook]) as session:
        session.run(step)
        assert not session.should_stop()
        os.kill(os.getpid(), number)
        session.run(step)
        assert session.should_stop()
    assert hook.signal == number
    assert signal.getsignal(number) is before


def test_the_second_signal_ends_it_at_once():
    hook = InterruptHook()
    hook.begin()
    os.kill(os.getpid(), signal.SIGINT)
    with pytest.raises(KeyboardInterrupt):
        os.kill(os.getpid(), signal.SIGINT)
        signal.getsignal(signal.SIGINT)


def test_without_a_signal_the_handlers_are_put_back():
    before = [signal.getsignal(number) for number in (signal.SIGINT, signal.SIGTERM)]
    hook = InterruptHook()
    hook.begin()
    assert signal.getsignal(signal.SIGINT) is not before[0]
    hook.restore()
    assert [signal.getsignal(number) for number in (signal.SIGINT, signal.SIGTERM)] == before
