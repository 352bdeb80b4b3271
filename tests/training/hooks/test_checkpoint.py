"""Checkpoints in a session of the user's own: when they are saved, restored and refused."""
import contextlib
import os
import threading

import checkpointed
import numpy as np
import pytest
import waiting
from google.protobuf import text_format

import legacy_towers as lt
from legacy_towers.compat import tf
from legacy_towers.errors import JobError, SaveError
from legacy_towers.training.checkpoints.newest import find_newest
from legacy_towers.training.hooks import checkpoint
from legacy_towers.training.hooks.checkpoint import CheckpointHook
from legacy_towers.update.asynchronous_towers import PausedWhileSaving


def steps_in(directory):
    names = [name for name in os.listdir(directory) if name.endswith(".index")]
    return sorted(int(name[len("model.ckpt-") : -len(".index")]) for name in names)


def session(model, steps, listeners=(), more=(), step_multiple=1, **options):
    """Runs a MonitoredTrainingSession without a checkpoint_dir up to a step."""
    with model.graph.as_default():
        saving = CheckpointHook(model.store, listeners, step_multiple=step_multiple)
        hooks = [saving, tf.train.StopAtStepHook(last_step=steps)] + list(more)
        with tf.train.MonitoredTrainingSession(hooks=hooks, scaffold=model.store.scaffold(), **options) as running:
            while not running.should_stop():
                running.run(model.train_op)


def test_checkpoints_are_saved_at_multiples_of_the_interval_at_the_start_and_at_the_end(tmp_path):
    before = threading.enumerate()
    with checkpointed.Model(directory=str(tmp_path), save_steps=3, keep=9) as model:
        session(model, 7)
        assert steps_in(str(tmp_path)) == [0, 3, 6, 7]
        assert "training.lock" in os.listdir(str(tmp_path))
    with checkpointed.Model(directory=str(tmp_path), save_steps=3, keep=9) as model:
        session(model, 13)
    assert steps_in(str(tmp_path)) == [0, 3, 6, 7, 9, 12, 13]
    assert checkpointed.step_restored(tf.train.latest_checkpoint(str(tmp_path))) == 13
    assert checkpointed.litter(str(tmp_path)) == [] and waiting.threads_since(before) == []


def test_a_checkpoint_that_is_due_waits_for_a_step_that_can_be_saved(tmp_path):
    with checkpointed.Model(directory=str(tmp_path), save_steps=2, keep=9) as model:
        session(model, 13, step_multiple=3)
    assert steps_in(str(tmp_path)) == [0, 3, 6, 9, 12, 13]


def test_checkpoints_are_saved_by_seconds(tmp_path, monkeypatch):
    now = [0.0]
    monkeypatch.setattr(checkpoint.time, "monotonic", lambda: now[0])

    class Clock(tf.train.SessionRunHook):
        def before_run(self, run_context):
            now[0] += 4.0

    with checkpointed.Model(directory=str(tmp_path), save_seconds=10, keep=9) as model:
        session(model, 10, more=[Clock()])
    assert steps_in(str(tmp_path)) == [0, 3, 6, 9, 10]  # after 12, 24 and 36 seconds


def test_a_session_that_does_not_restore_is_refused(tmp_path):
    checkpointed.save_several(str(tmp_path), 2)
    with checkpointed.Model(directory=str(tmp_path)) as model, model.graph.as_default():
        with pytest.raises(JobError, match="the session starts at step 0, but .*model.ckpt-2 is of step 2: restore it"):
            tf.train.MonitoredTrainingSession(hooks=[CheckpointHook(model.store)])
    assert steps_in(str(tmp_path)) == [1, 2] and checkpointed.litter(str(tmp_path)) == []


def test_the_lock_is_removed_after_an_error_too(tmp_path):
    with pytest.raises(ZeroDivisionError):
        with checkpointed.Model(directory=str(tmp_path), save_steps=1) as model, model.graph.as_default():
            with tf.train.MonitoredTrainingSession(hooks=[CheckpointHook(model.store)]) as running:
                running.run(model.train_op)
                raise ZeroDivisionError
    assert steps_in(str(tmp_path)) == [0, 1] and checkpointed.litter(str(tmp_path)) == []


def test_a_session_after_a_lost_one_resumes_from_the_newest_checkpoint(tmp_path):
    class Loses(tf.train.SessionRunHook):
        def after_run(self, run_context, run_values):
            if int(run_context.session.run(tf.train.get_global_step())) == 5 and not lost:
                lost.append(5)
                raise tf.errors.AbortedError(None, None, "the worker was restarted")

    lost = []
    with checkpointed.Model(directory=str(tmp_path), save_steps=2) as model:
        session(model, 8, more=[Loses()])
    assert lost == [5] and checkpointed.step_restored(find_newest(str(tmp_path)).checkpoint) == 8


def test_the_graph_is_written_once_for_all_runs_and_replaced_if_it_changes(tmp_path):
    path = str(tmp_path / "graph.pbtxt")
    for steps in (1, 2):
        with checkpointed.Model(directory=str(tmp_path)) as model:
            session(model, steps)
        written = os.stat(path)
        if steps == 1:
            first = written
    assert (first.st_mtime_ns, first.st_ino) == (written.st_mtime_ns, written.st_ino)
    with checkpointed.Model(directory=str(tmp_path)) as model:
        with model.graph.as_default():
            tf.constant(7.0, name="seven")
        session(model, 3)
        with open(path) as file:
            text = file.read()
        assert text_format.Parse(text, tf.GraphDef()) == model.graph.as_graph_def(add_shapes=True)
    assert "seven" in text and checkpointed.litter(str(tmp_path)) == []


def test_listeners_are_called_around_a_save_and_can_stop_training(tmp_path):
    calls = []

    class Listener(tf.train.CheckpointSaverListener):
        def begin(self):
            calls.append("begin")

        def before_save(self, session, global_step_value):
            calls.append(("before", int(global_step_value), steps_in(str(tmp_path))))

        def after_save(self, session, global_step_value):
            calls.append(("after", int(global_step_value), steps_in(str(tmp_path))))
            return global_step_value == 2

        def end(self, session, global_step_value):
            calls.append(("end", int(global_step_value)))

    with checkpointed.Model(directory=str(tmp_path), save_steps=1) as model:
        session(model, 9, listeners=[Listener()])
    expected = [("before", 0, []), ("after", 0, [0]), ("before", 1, [0]), ("after", 1, [0, 1])]
    assert calls == ["begin"] + expected + [("before", 2, [0, 1]), ("after", 2, [0, 1, 2]), ("end", 2)]


def test_asynchronous_towers_are_paused_while_variables_are_written_also_if_that_fails(tmp_path, monkeypatch):
    calls = []

    class Towers:
        @contextlib.contextmanager
        def paused(self):
            calls.append("paused")
            yield
            calls.append("resumed")

    with checkpointed.Model(directory=str(tmp_path), save_steps=1) as model:
        write = model.store.write

        def fails_at_1(session, step):
            calls.append(step)
            if step == 1:
                raise SaveError("no space")
            write(session, step)

        monkeypatch.setattr(model.store, "write", fails_at_1)
        with pytest.warns(UserWarning, match="no space; training continues"):
            session(model, 2, listeners=[PausedWhileSaving(Towers())])
    assert calls == ["paused", 0, "resumed", "paused", 1, "resumed", "paused", 2, "resumed"]
    assert steps_in(str(tmp_path)) == [0, 2]


def build(variables):
    def model_fn(batch, mode):
        w = tf.get_variable("w", [3], initializer=tf.zeros_initializer())
        return lt.TowerOutput(loss=tf.reduce_mean(tf.square(tf.reduce_sum(batch["x"] * w, 1) - 1.0)))

    examples = lt.Examples.from_arrays({"x": np.random.RandomState(0).randn(64, 3).astype(np.float32)})
    return lt.build_train_step(
        model_fn, lt.inputs.dataset(examples, per_tower_batch_size=4, epochs=None),
        lambda step: tf.train.GradientDescentOptimizer(0.1), lt.devices.cpus(2), variables=variables,
    )


class First(tf.train.SessionRunHook):
    """Fetches all variables when the session has started: after what the step's hooks do then."""

    def after_create_session(self, session, coord):
        self.values = session.run({each.op.name: each for each in tf.trainable_variables() + tf.local_variables()
                                   if each.shape == [3]})


@pytest.mark.parametrize("variables", ["asynchronous", "local_sgd:3", "replicated"])
def test_strategies_with_copies_are_saved_and_restored(tmp_path, variables):
    options = lt.training.CheckpointOptions(save_steps=2)
    values, firsts = [], []
    for start, last_step in ((0, 6), (6, 11)):
        with tf.Graph().as_default(), lt.training.CheckpointStore(str(tmp_path), options) as store:
            step = build(variables)
            listeners = []
            if step.asynchronous is not None:
                step.asynchronous.stop_at(last_step)
                listeners.append(step.asynchronous.pausing_listener())
            firsts.append(First())
            hooks = list(step.hooks) + [
                firsts[-1], tf.train.StopAtStepHook(last_step=last_step), lt.training.CheckpointHook(store, listeners)
            ]
            config = lt.session_config(logical_cpus=2)
            with tf.train.MonitoredTrainingSession(hooks=hooks, scaffold=store.scaffold(), config=config) as running:
                for train_op in step.train_ops(start):
                    if running.should_stop():
                        break
                    running.run(train_op)
            prefix = find_newest(str(tmp_path)).checkpoint
            assert prefix == os.path.join(str(tmp_path), "model.ckpt-{}".format(last_step))
            values.append(tf.train.NewCheckpointReader(prefix).get_tensor("w"))
    assert len(firsts[1].values) == (1 if variables == "asynchronous" else 2 if variables == "replicated" else 3)
    for name, first in firsts[1].values.items():  # the towers' copies too
        np.testing.assert_array_equal(first, values[0], name)
    assert np.all(values[0] != 0) and not np.array_equal(*values)
