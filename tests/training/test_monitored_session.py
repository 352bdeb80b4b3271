"""lt.training.session: a MonitoredTrainingSession with checkpoints, guard, signals, hooks and callbacks."""
import os
import signal

import numpy as np
import pytest
import sessions

import legacy_towers as lt
from legacy_towers.compat import tf
from legacy_towers.errors import ArgumentError, JobError, NanError
from legacy_towers.training.hook_order import SessionParts, ordered_hooks
from legacy_towers.training.hooks.callbacks import CallbackHook
from legacy_towers.training.hooks.interrupt import InterruptHook


class Recorder(lt.training.Callback):
    def __init__(self, stops_at=None):
        self.calls = []
        self.stops_at = stops_at

    def on_step_end(self, step, loss):
        self.calls.append(("step", step, loss))
        return step == self.stops_at

    def on_checkpoint(self, step, path):
        self.calls.append(("checkpoint", step, os.path.basename(path)))

    def on_end(self, step):
        self.calls.append(("end", step))

    def of(self, kind):
        return [call[1:] for call in self.calls if call[0] == kind]


class Counter(tf.train.SessionRunHook):
    """A hook of a user."""

    def __init__(self):
        self.runs = 0

    def after_run(self, run_context, run_values):
        self.runs += 1


def test_losses_checkpoints_hooks_and_callbacks_of_a_run_that_is_resumed(tmp_path):
    x = sessions.numbers(7)
    losses, values = sessions.reference(x)
    directory, options = str(tmp_path / "run"), lt.training.CheckpointOptions(save_steps=2)
    for start, end in ((0, 4), (4, 7)):
        with tf.Graph().as_default():
            step = sessions.build(x)
            counter, recorder, seen = Counter(), Recorder(), []

            def hooks(given, counter=counter, seen=seen):
                seen.append(given)
                return [counter]

            running = lt.training.session(
                step, directory, options, hooks, [recorder], last_step=end, config=sessions.CONFIG
            )
            with running as session:
                assert isinstance(session, tf.train.MonitoredSession)
                fetched = sessions.run_all(session, step, step.loss)
        np.testing.assert_allclose(fetched, losses[start:end], rtol=1e-6)
        assert seen == [step] and counter.runs == end - start and running.interrupted is None
        assert [step for step, _ in recorder.of("step")] == list(range(start + 1, end + 1))
        np.testing.assert_allclose([loss for _, loss in recorder.of("step")], losses[start:end], rtol=1e-6)
        expected = [0, 2, 4] if start == 0 else [6, 7]
        assert recorder.of("checkpoint") == [(step, "model.ckpt-{}".format(step)) for step in expected]
        assert recorder.calls[-1] == ("end", end)
        np.testing.assert_allclose(sessions.saved(running.store.newest().checkpoint)["w"], values[end - 1], rtol=1e-6)
        assert not os.path.exists(os.path.join(directory, "training.lock"))


def test_a_session_restored_at_its_last_step_runs_no_step(tmp_path):
    x = sessions.numbers(3)
    for expected in (3, 0):
        with tf.Graph().as_default():
            step = sessions.build(x)
            with lt.training.session(step, str(tmp_path), last_step=3, config=sessions.CONFIG) as session:
                assert len(sessions.run_all(session, step)) == expected


def test_a_signal_ends_the_session_after_its_step_with_a_checkpoint(tmp_path):
    x = sessions.numbers(5)
    step, recorder = sessions.build(x), Recorder()
    running = lt.training.session(step, str(tmp_path), callbacks=[recorder], config=sessions.CONFIG)
    before = signal.getsignal(signal.SIGTERM)
    with running as session:
        session.run(step.train_op)
        os.kill(os.getpid(), signal.SIGTERM)
        session.run(step.train_op)
        assert session.should_stop()
    assert running.interrupted == signal.SIGTERM and signal.getsignal(signal.SIGTERM) is before
    assert running.store.newest().step == 2 and recorder.calls[-1] == ("end", 2)


def test_a_callback_that_returns_true_ends_training():
    step, recorder = sessions.build(sessions.numbers(9)), Recorder(stops_at=3)
    with lt.training.session(step, callbacks=[recorder], config=sessions.CONFIG) as session:
        assert len(sessions.run_all(session, step)) == 3
    assert recorder.calls[-1] == ("end", 3)


def test_a_loss_of_nan_ends_the_session_unless_the_guard_is_off(tmp_path):
    x = sessions.numbers(4)
    x[1, 1, 0] = np.nan
    recorder = Recorder()
    with tf.Graph().as_default():
        step = sessions.build(x)
        with pytest.raises(NanError, match="the loss of tower 1 .* is NaN at global step 2, "):
            with lt.training.session(step, str(tmp_path), callbacks=[recorder], config=sessions.CONFIG) as session:
                sessions.run_all(session, step)
    assert lt.training.CheckpointStore(str(tmp_path)).newest().step == 0
    assert [step for step, _ in recorder.of("step")] == [1] and recorder.of("end") == []
    with tf.Graph().as_default():
        step = sessions.build(x)
        with lt.training.session(step, on_nan="off", last_step=3, config=sessions.CONFIG) as session:
            assert np.isnan(sessions.run_all(session, step, step.loss)).tolist() == [False, True, True]


def test_a_store_of_the_caller_stays_open(tmp_path):
    step = sessions.build(sessions.numbers(1))
    with lt.training.CheckpointStore(str(tmp_path)) as store:
        with lt.training.session(step, store, last_step=1, config=sessions.CONFIG) as session:
            session.run(step.train_op)
        assert os.path.exists(str(tmp_path / "training.lock")) and store.newest().step == 1


def test_the_directory_of_another_run_is_refused(tmp_path):
    step = sessions.build(sessions.numbers(1))
    with lt.training.CheckpointStore(str(tmp_path)):
        with pytest.raises(JobError, match="is in use by another session"):
            with lt.training.session(step, str(tmp_path), config=sessions.CONFIG):
                pass


def test_the_order_of_hooks():
    step, callbacks = sessions.build(sessions.numbers(1)), Recorder()
    counter, report = Counter(), Counter()
    group = lt.training.callbacks.CallbackGroup([callbacks])
    calling, interrupt, guard = CallbackHook(step, group), InterruptHook(), lt.training.NanGuardHook(step)
    parts = SessionParts(
        step, interrupt, group, calling, [counter], [report], 5, guard, lt.training.CheckpointStore("unused"), None
    )
    own = len(step.hooks)
    hooks = ordered_hooks(parts)
    assert hooks[:own] == step.hooks and hooks[own : own + 2] == [report, counter]
    assert [type(hook).__name__ for hook in hooks[own + 2 :]] == [
        "LastStepHook", "InterruptHook", "NanGuardHook", "CallbackHook", "CheckpointHook"
    ]
    hooks = ordered_hooks(parts._replace(last_step=None, guard=None, store=None))
    assert [type(hook).__name__ for hook in hooks[own + 2 :]] == ["InterruptHook", "CallbackHook"]


@pytest.mark.parametrize("options, message", [
    (dict(on_nan="ignore"), "on_nan is 'ignore': allowed are 'stop', "),
    (dict(last_step=0), "last_step is 0: it must be an integer of at least 1"),
    (dict(checkpoint_options=lt.training.CheckpointOptions()), "checkpoint_options has no effect without checkpoints"),
    (dict(callbacks=[print]), "callbacks has <built-in function print>, which is not an lt.training.Callback: derive"),
], ids=lambda value: "" if isinstance(value, str) else sorted(value)[0])
def test_arguments_that_are_refused(options, message):
    step = sessions.build(sessions.numbers(1))
    with pytest.raises(ArgumentError) as caught:
        lt.training.session(step, **options)
    assert str(caught.value).startswith(message)


def test_a_step_is_needed():
    with pytest.raises(ArgumentError, match="step must be what lt.build_train_step returns, got str"):
        lt.training.session("step")
