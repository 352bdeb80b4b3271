"""Evaluation while a model trains: exact counts, training undisturbed, the same evaluations after a kill."""
import os
import signal

import numpy as np
import pytest

import legacy_towers as lt
from legacy_towers.compat import tf
from legacy_towers.errors import ArgumentError, SaveError
from legacy_towers.inputs.named import make_pipeline
from legacy_towers.training.checkpoints.options import CheckpointOptions
from legacy_towers.training.checkpoints.store import CheckpointStore
from legacy_towers.training.evaluation.evaluator import Evaluator
from legacy_towers.training.evaluation.history import HISTORY_FILE, read_history
from legacy_towers.training.evaluation.options import EarlyStopping
from legacy_towers.training.hooks.checkpoint import CheckpointHook
from legacy_towers.training.hooks.evaluation import EvaluationHook
from legacy_towers.training.hooks.interrupt import InterruptHook
from legacy_towers.training.hooks.nan_guard import NanGuardHook

RATE, ROWS, TOWERS = 0.1, 4, 2
RANDOM = np.random.RandomState(0)
TRAIN = {"x": RANDOM.randn(40, 3).astype(np.float32), "id": np.arange(40)}
TEST = RANDOM.randn(1000, 3).astype(np.float32)


def model_fn(batch, mode):
    w = tf.get_variable("w", [3], initializer=tf.zeros_initializer())
    error = tf.reduce_sum(tf.square(batch["x"] - w), axis=1)
    return lt.TowerOutput(
        loss=tf.reduce_mean(error), metrics={"error": error, "wide": tf.cast(error > 3.0, tf.float32)},
        predictions=batch.get("id"),
    )


def noisy(batch, mode):
    """The same with noise in training, by an operation that has a state."""
    output = model_fn(batch, mode)
    noise = tf.random_uniform([], seed=5) if mode == lt.TRAIN else 1.0
    return output._replace(loss=output.loss * noise)


def expected(w, x=TEST):
    error = np.sum(np.square(np.float64(x) - np.float64(w)), axis=1)
    return {"error": error.mean(), "loss": error.mean(), "wide": (error > 3).mean()}


def evaluator(towers=3, examples=TEST, **options):
    return Evaluator(model_fn, lt.Examples.from_arrays({"x": examples}), 90, lt.devices.cpus(towers), **options)


class Ids(tf.train.SessionRunHook):
    """Notes the ids of each tower's batch in each step."""

    def __init__(self, step):
        self.seen = []
        self._fetches = [tower.output.predictions for tower in step.towers]

    def before_run(self, run_context):
        return tf.train.SessionRunArgs(self._fetches)

    def after_run(self, run_context, run_values):
        self.seen.append([list(ids) for ids in run_values.results])


def train(directory, steps=6, pipeline="feed", evaluate=None, keep_best=None, model=model_fn, **step_options):
    """Trains with an EvaluationHook of the options `evaluate`; returns the ids, the variables and the hook."""
    with tf.Graph().as_default():
        source = make_pipeline(
            pipeline, lt.Examples.from_arrays(TRAIN, seed=3), per_tower_batch_size=ROWS,
            order="any" if "dataset" == pipeline and step_options else "fixed",
        )
        optimizer = tf.train.MomentumOptimizer(RATE, 0.5)
        step = lt.build_train_step(model, source, optimizer, lt.devices.cpus(TOWERS), **step_options)
        ids, evaluation, listeners = Ids(step), None, []
        if step.asynchronous is not None:
            step.asynchronous.stop_at(steps)
            listeners.append(step.asynchronous.pausing_listener())
        options = CheckpointOptions(save_steps=100, keep=2, keep_best=keep_best)
        with CheckpointStore(str(directory), options) as store:
            saving = CheckpointHook(store, listeners)
            hooks = list(step.hooks) + [ids, NanGuardHook(step), saving]
            if evaluate is not None:
                decay = step_options.get("moving_average_decay")
                evaluation = EvaluationHook(evaluator(moving_average_decay=decay), saving, **evaluate)
                hooks.append(evaluation)
            with tf.train.MonitoredTrainingSession(
                hooks=hooks + [tf.train.StopAtStepHook(last_step=steps)], scaffold=store.scaffold(),
                config=lt.session_config(logical_cpus=TOWERS), log_step_count_steps=None,
            ) as session:
                while not session.should_stop():
                    session.run(step.train_op)
            newest = store.newest().checkpoint
    values = {name: tf.train.load_variable(newest, name) for name, _ in tf.train.list_variables(newest)}
    return ids.seen, values, evaluation


def assert_evaluated(evaluation, w, step):
    assert (evaluation.step, evaluation.examples, sorted(evaluation.metrics)) == (step, 1000, ["error", "loss", "wide"])
    for name, value in expected(w).items():
        np.testing.assert_allclose(evaluation.metrics[name], value, rtol=1e-5)


PIPELINES = ["feed", "feed:background", "queue", "dataset", "staged+queue", "staged+dataset:split"]


@pytest.mark.parametrize("pipeline", PIPELINES)
def test_training_goes_on_as_if_there_had_been_no_evaluation(tmp_path, pipeline):
    heard = []
    plain = train(tmp_path / "plain", pipeline=pipeline, model=noisy)
    evaluate = {"every_steps": 2, "listeners": [heard.append]}
    seen, values, hook = train(tmp_path / "evaluated", pipeline=pipeline, model=noisy, evaluate=evaluate)
    assert seen == plain[0] and len(seen) == 6
    assert {tuple(ids) for ids in seen[0]} == {(0, 1, 2, 3), (4, 5, 6, 7)}
    assert set(values) == set(plain[1])
    for name in values:
        np.testing.assert_array_equal(values[name], plain[1][name], name)
    assert [each.step for each in hook.evaluations] == [2, 4, 6] and heard == hook.evaluations
    assert_evaluated(hook.evaluations[-1], values["w"], 6)


STRATEGIES = {
    "replicated": {"variables": lt.variables.Replicated()},
    "local_sgd": {"variables": lt.variables.LocalSGD(sync_every=3)},
    "partitioned": {"variables": lt.variables.Partitioned(lt.variables.ParameterServer("/cpu:0"), 4)},
    "asynchronous": {"variables": lt.variables.Asynchronous(), "pipeline": "dataset"},
    "averages": {"moving_average_decay": 0.5},
}


@pytest.mark.parametrize("options", list(STRATEGIES.values()), ids=list(STRATEGIES))
def test_each_strategy_is_evaluated_by_whole_variables(tmp_path, options):
    _, _, hook = train(tmp_path, steps=5, evaluate={"every_steps": 2}, **options)
    evaluated = hook.evaluations[-1]
    if "pipeline" not in options:  # the steps that the loop of asynchronous towers sees vary
        assert [each.step for each in hook.evaluations] == [2, 4]
    checkpoint = os.path.join(str(tmp_path), "model.ckpt-{}".format(evaluated.step))
    name = "w/ExponentialMovingAverage" if "moving_average_decay" in options else "w"
    assert_evaluated(evaluated, tf.train.load_variable(checkpoint, name), evaluated.step)


class Killed(Exception):
    pass


def kill_at(step):
    """Returns a listener that ends the run in the evaluation of a step, before that is remembered."""

    def listener(evaluation):
        if evaluation.step == step:
            raise Killed

    return listener


def test_a_killed_run_stops_early_at_the_same_step_as_one_that_was_never_killed(tmp_path):
    early = EarlyStopping("max:error", patience=2, min_delta=0.001)

    def run(name, *listeners):
        # An epoch has 5 steps, so that the input, which starts again with each run, goes on where it was.
        return train(tmp_path / name, steps=60, keep_best="max:error", evaluate={
            "every_steps": 5, "early_stopping": early, "listeners": list(listeners)
        })

    seen, values, whole = run("whole")
    stopped = whole.stopped
    assert stopped is not None and stopped == early.stopped(whole.evaluations) and len(seen) == stopped.step < 60
    assert stopped.waited == 2 and stopped.step == whole.evaluations[-1].step
    assert str(stopped).startswith("stopped early at step {}: error was highest with ".format(stopped.step))
    for step in (stopped.step - 5, stopped.step):
        with pytest.raises(Killed):
            run("killed", kill_at(step))
    heard = []
    again, resumed_values, resumed = run("killed", heard.append)
    np.testing.assert_array_equal(resumed_values["w"], values["w"])
    assert again == [] and [each.step for each in heard] == [stopped.step]  # the evaluation that was missing
    assert resumed.stopped == stopped and resumed.evaluations == whole.evaluations
    assert read_history(str(tmp_path / "whole"), 10**6) == whole.evaluations
    with CheckpointStore(str(tmp_path / "whole"), CheckpointOptions(keep_best="max:error")) as store:
        assert not store.is_better({"error": stopped.best_value}) and store.is_better({"error": 1e6})
        assert os.path.exists(os.path.join(store.directory, "model.ckpt-{}.index".format(stopped.best_step)))


def test_evaluations_after_the_checkpoint_that_a_run_resumes_from_are_made_again(tmp_path):
    _, _, whole = train(tmp_path, steps=4, evaluate={"every_steps": 2})
    for name in os.listdir(str(tmp_path)):
        if name.startswith("model.ckpt-4"):
            os.remove(str(tmp_path / name))
    assert [each.step for each in read_history(str(tmp_path), 3)] == [2]
    _, _, again = train(tmp_path, steps=4, evaluate={"every_steps": 2})
    assert [each.step for each in again.evaluations] == [2, 4] and again.evaluations[0] == whole.evaluations[0]
    path = tmp_path / HISTORY_FILE
    path.write_bytes(path.read_bytes().replace(b"1000", b"1001", 1))
    with pytest.warns(UserWarning, match="evaluations.json is damaged .*: the evaluations before step 4 are forgotten"):
        assert read_history(str(tmp_path), 4) == []


def test_a_session_of_the_users_own_is_evaluated_from_a_checkpoint_aside(tmp_path):
    """Its saver's list of checkpoints, and so the files that it keeps, are not changed."""
    with tf.Graph().as_default():
        source = lt.inputs.dataset(lt.Examples.from_arrays(TRAIN), per_tower_batch_size=ROWS)
        optimizer = tf.train.GradientDescentOptimizer(RATE)
        step = lt.build_train_step(
            model_fn, source, optimizer, lt.devices.cpus(TOWERS), variables=lt.variables.LocalSGD(sync_every=2)
        )
        step.hooks.append(tf.train.StopAtStepHook(last_step=7))
        hook = EvaluationHook(evaluator(), every_seconds=1e-9)
        with tf.train.MonitoredTrainingSession(
            checkpoint_dir=str(tmp_path), save_checkpoint_steps=3, save_checkpoint_secs=None, save_summaries_steps=None,
            save_summaries_secs=None, log_step_count_steps=None, hooks=step.hooks + [NanGuardHook(step), hook],
            config=lt.session_config(logical_cpus=TOWERS),
        ) as session:
            while not session.should_stop():
                session.run(step.train_op)
    assert [each.step for each in hook.evaluations] == [1, 2, 3, 4, 5, 6, 7] and hook.seconds > 0
    state = tf.train.get_checkpoint_state(str(tmp_path))
    steps = [int(path.rpartition("-")[2]) for path in state.all_model_checkpoint_paths]
    assert steps[-1] == 7 and all(os.path.exists(path + ".index") for path in state.all_model_checkpoint_paths)
    assert len(steps) == 3 + (steps[0] == 0)  # steps 0 or 1, 3 or 4, 6 or 7, by the version
    assert_evaluated(hook.evaluations[-1], tf.train.load_variable(state.model_checkpoint_path, "w"), 7)


def test_an_evaluation_without_a_checkpoint_is_left_out_or_an_error(tmp_path, monkeypatch):
    def full(store, session, step):
        if step:
            raise SaveError("the checkpoint of step {} can't be written".format(step))

    monkeypatch.setattr(CheckpointStore, "write", full)
    with pytest.warns(UserWarning, match="step 2 is not evaluated, since the checkpoint of step 2 can't be written"):
        with pytest.raises(SaveError, match="the checkpoint of step 3 can't be written"):  # the last one
            train(tmp_path, steps=3, evaluate={"every_steps": 2})


def test_wrong_arguments_are_refused_before_training(tmp_path):
    makes = evaluator(1)
    with CheckpointStore(str(tmp_path), CheckpointOptions(keep_best="max:acuracy")) as store:
        with pytest.raises(ArgumentError, match="--keep-best max:acuracy: there is no metric 'acuracy'; an evaluation "
                                                "of this job has 'error', 'loss', 'wide'"):
            EvaluationHook(makes, CheckpointHook(store), every_steps=1)
    with pytest.raises(ArgumentError, match="early stopping by 'min:los': there is no metric 'los'"):
        EvaluationHook(makes, every_steps=1, early_stopping=EarlyStopping("min:los"))
    with pytest.raises(ArgumentError, match="needs every_steps or every_seconds"):
        EvaluationHook(makes)
    with pytest.raises(ArgumentError, match="every_steps is 0: a number above 0 is needed"):
        EvaluationHook(makes, every_steps=0)


@pytest.mark.parametrize("checkpoints", ["run", None])
def test_a_session_for_long_runs_evaluates_and_its_callbacks_can_end_it(tmp_path, checkpoints):
    class Enough(lt.training.Callback):
        def on_evaluation(self, step, metrics):
            return step == 4 and sorted(metrics) == ["error", "loss", "wide"]

    with tf.Graph().as_default():
        source = lt.inputs.feed(lt.Examples.from_arrays(TRAIN), per_tower_batch_size=ROWS)
        step = lt.build_train_step(
            model_fn, source, tf.train.GradientDescentOptimizer(RATE), lt.devices.cpus(TOWERS)
        )
        options = lt.training.EvaluationOptions(evaluate_steps=2)
        running = lt.training.session(
            step, checkpoints and str(tmp_path / checkpoints), last_step=9, callbacks=[Enough()], evaluator=evaluator(),
            evaluation=options, config=lt.session_config(logical_cpus=TOWERS),
        )
        with running as session:
            while not session.should_stop():
                session.run(step.train_op)
        assert [each.step for each in running.evaluation.evaluations] == [2, 4]
        with pytest.raises(ArgumentError, match="give evaluator and evaluation together"):
            lt.training.session(step, evaluation=options)


def test_a_signal_ends_an_evaluation_which_the_resumed_run_makes_first(tmp_path, monkeypatch):
    real, interrupt, heard = EvaluationHook._is_interrupted, InterruptHook(), []

    def second_batch(hook):
        heard.append(1)
        interrupt.signal = signal.SIGTERM if len(heard) == 2 else None  # while the first batch is computed
        return real(hook)

    monkeypatch.setattr(EvaluationHook, "_is_interrupted", second_batch)
    _, _, hook = train(tmp_path, steps=2, evaluate={"every_steps": 2, "interrupt": interrupt})
    assert hook.evaluations == [] and len(heard) == 2 and not os.path.exists(str(tmp_path / HISTORY_FILE))
    monkeypatch.undo()
    seen, _, hook = train(tmp_path, steps=3, evaluate={"every_steps": 2})
    assert len(seen) == 1 and [each.step for each in hook.evaluations] == [2]
