"""Signals during training: what they end, what is saved, and what is left."""
import os
import signal
import sys
import threading

import checkpointed
import processes
import pytest
import waiting

from legacy_towers.compat import tf
from legacy_towers.training.checkpoints.newest import find_newest
from legacy_towers.training.hooks import interrupt, signal_watch
from legacy_towers.training.hooks.checkpoint import CheckpointHook
from legacy_towers.training.hooks.interrupt import InterruptHook


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM])
def test_the_first_signal_ends_the_loop_after_its_step(number):
    before, threads = signal.getsignal(number), threading.enumerate()
    step = tf.no_op()
    hook = InterruptHook()
    with tf.train.MonitoredSession(hooks=[hook]) as session:
        session.run(step)
        assert not session.should_stop()
        os.kill(os.getpid(), number)
        session.run(step)
        assert session.should_stop()
    assert hook.signal == number and hook.exit_code == 128 + number
    assert signal.getsignal(number) is before
    assert waiting.threads_since(threads) == []


@pytest.mark.parametrize("number, error", [(signal.SIGINT, KeyboardInterrupt), (signal.SIGTERM, SystemExit)])
def test_the_second_signal_interrupts_at_once(number, error):
    hook = InterruptHook()
    hook.begin()
    os.kill(os.getpid(), number)
    with pytest.raises(error):
        os.kill(os.getpid(), number)
        signal.getsignal(number)
    hook.restore()


def test_restore_without_a_signal_restores_the_handlers():
    before = [signal.getsignal(number) for number in (signal.SIGINT, signal.SIGTERM)]
    threads, wakeup = threading.enumerate(), signal.set_wakeup_fd(-1)
    signal.set_wakeup_fd(wakeup)
    hook = InterruptHook()
    hook.begin()
    assert signal.getsignal(signal.SIGINT) is not before[0]
    hook.restore()
    assert [signal.getsignal(number) for number in (signal.SIGINT, signal.SIGTERM)] == before
    assert signal.set_wakeup_fd(wakeup) == wakeup and waiting.threads_since(threads) == []


class SignalsInRun(tf.train.SessionRunHook):
    """Sends a signal while the session's thread waits in TensorFlow, in the run after `steps` others."""

    def __init__(self, number, steps):
        self.number, self.steps, self.main = number, steps, threading.get_ident()

    def before_run(self, run_context):
        self.steps -= 1
        if self.steps < 0:
            threading.Thread(target=self.send).start()

    def send(self):
        def waits():
            return sys._current_frames()[self.main].f_code.co_name == "_call_tf_sessionrun"

        assert waiting.happens(waits)
        os.kill(os.getpid(), self.number)


def counted(model, queue):
    """Returns a train op that takes an element of a queue, and then counts the step."""
    with tf.control_dependencies([queue.dequeue()]):
        return model.step.assign_add(1)


def test_a_step_that_waits_for_a_queue_is_ended_and_the_last_complete_one_saved(tmp_path, monkeypatch):
    monkeypatch.setattr(interrupt, "_STEP_SECONDS", 0.0)
    monkeypatch.setattr(interrupt, "_CANCELLED_SECONDS", 600.0)
    threads = threading.enumerate()
    with checkpointed.Model(directory=str(tmp_path)) as model:
        with model.graph.as_default():
            queue = tf.FIFOQueue(9, [tf.int32], [[]])
            fill, train_op = queue.enqueue_many([[1, 2, 3]]), counted(model, queue)
            saving = CheckpointHook(model.store)
            hook = InterruptHook(saving)
            hooks = [SignalsInRun(signal.SIGTERM, steps=4), saving, hook]
            with tf.train.MonitoredTrainingSession(hooks=hooks, scaffold=model.store.scaffold()) as session:
                session.run(fill)
                while not session.should_stop():
                    session.run(train_op)
        assert hook.exit_code == 143
        assert model.store.newest().step == 3
    assert waiting.threads_since(threads) == [] and checkpointed.litter(str(tmp_path)) == []


def test_a_signal_during_a_save_ends_the_session_after_it(tmp_path):
    class Sends(tf.train.CheckpointSaverListener):
        def before_save(self, session, step):
            if step == 2:
                os.kill(os.getpid(), signal.SIGTERM)

    with checkpointed.Model(directory=str(tmp_path), save_steps=2) as model:
        with model.graph.as_default():
            hooks = [CheckpointHook(model.store, [Sends()]), InterruptHook()]
            with tf.train.MonitoredTrainingSession(hooks=hooks, scaffold=model.store.scaffold()) as session:
                while not session.should_stop():
                    session.run(model.train_op)
        assert model.store.newest().step in (2, 3)
    assert checkpointed.litter(str(tmp_path)) == []


# In processes that are forked after TensorFlow is imported, and before it has threads.
BLOCKED = """
    import os, signal, sys, threading, time
    import numpy as np
    import legacy_towers as lt
    from legacy_towers.compat import tf
    from legacy_towers.compat.versions.session import raw_session
    from legacy_towers.training.hooks import interrupt, signal_watch
    interrupt._STEP_SECONDS = signal_watch._UNSEEN_SECONDS = 0.5
    interrupt._CANCELLED_SECONDS = interrupt._CLOSING_SECONDS = 1.0

    stepped = threading.Event()

    def rows():
        for number in range(12):
            if number == 8:  # more than the first step needs, also of a tower that trains before the others
                stepped.wait()
            yield {"x": np.float32([number])}
        os.kill(os.getpid(), signal.SIGTERM)
        threading.Event().wait()

    def never():
        os.kill(os.getpid(), signal.SIGINT)
        threading.Event().wait()
        return np.float32(0)

    def watch(session, step):
        while session.run(step.global_step) < 1:
            time.sleep(0.01)
        stepped.set()

    def train(directory, wrap=lambda source: source, **options):
        examples = lt.Examples.from_generator(rows, {"x": tf.TensorSpec([1], tf.float32)}, shuffle=False)

        def model_fn(batch, mode):
            return lt.TowerOutput(loss=tf.reduce_mean((batch["x"] - tf.get_variable("w", [1])) ** 2))

        step = lt.build_train_step(
            model_fn, wrap(lt.inputs.dataset(examples, per_tower_batch_size=2, route="next_per_tower")),
            tf.train.GradientDescentOptimizer(0.1), lt.devices.cpus(2), **options
        )
        with lt.training.session(step, directory, config=lt.session_config(logical_cpus=2)) as session:
            threading.Thread(target=watch, args=(raw_session(session), step), daemon=True).start()
            while not session.should_stop():
                session.run(step.train_op)

    def evaluation():
        with signal_watch.interruptible(), tf.Session() as session:
            session.run(tf.py_func(never, [], tf.float32))

    for scenario in (
        lambda: train("dataset"), lambda: train("staged", lt.inputs.staged),
        lambda: train("asynchronous", variables=lt.variables.Asynchronous()), evaluation,
    ):
        child = os.fork()
        if not child:
            scenario()
            os._exit(9)
        # Flushed, for the next child inherits what is still buffered and prints it again.
        print(os.WEXITSTATUS(os.waitpid(child, 0)[1]), flush=True)
"""


@pytest.mark.slow
def test_the_process_ends_with_a_checkpoint_although_tensorflow_waits_for_a_generator(tmp_path):
    done = processes.run_preloaded(BLOCKED, cwd=str(tmp_path))
    assert done.stdout.split() == ["143", "143", "143", "130"], done.stderr
    for directory, last in (("dataset", 3), ("staged", 3), ("asynchronous", 6)):
        newest = find_newest(str(tmp_path / directory))
        assert 0 < newest.step <= last and newest.problems == []
        assert not {"training.lock", ".unfinished-checkpoints"} & set(os.listdir(str(tmp_path / directory)))


def test_sigterm_outside_of_a_session_raises_an_error_with_its_exit_code():
    with pytest.raises(signal_watch.Interrupted) as raised:
        with signal_watch.interruptible():
            os.kill(os.getpid(), signal.SIGTERM)
            signal.getsignal(signal.SIGTERM)
    assert raised.value.exit_code == 143
