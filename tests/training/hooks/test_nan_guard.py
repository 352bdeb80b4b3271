"""A NaN or infinite loss ends training, and no checkpoint contains a variable that is not finite."""
import os

import job_files
import numpy as np
import pytest
import two_objectives

import legacy_towers as lt
from legacy_towers.cli.main import main
from legacy_towers.compat import tf
from legacy_towers.errors import NanError
from legacy_towers.training.hooks.nan_guard import NanGuardHook

TOWERS, ROWS = 3, 2
CONFIG = lt.session_config(logical_cpus=TOWERS)


def data(step, tower, value=np.nan, steps=6):
    """Returns the x of `steps` steps; one number of this tower's batch in this step, counted from 1, is `value`."""
    x = np.ones([steps, TOWERS, ROWS], np.float32)
    x[step - 1, tower, 1] = value
    return x.reshape(-1)


def weighted_sum(batch, mode):
    return lt.TowerOutput(loss=tf.reduce_mean(tf.get_variable("w", [], initializer=tf.ones_initializer()) * batch["x"]))


def root(batch, mode):
    """The loss is finite, the gradient of its second step is 0 times infinity."""
    w = tf.get_variable("w", [], initializer=tf.ones_initializer())
    return lt.TowerOutput(loss=tf.reduce_mean(tf.sqrt(tf.square(w - batch["x"]))))


def build(x, model_fn=weighted_sum, **options):
    source = lt.inputs.feed(lt.Examples.from_arrays({"x": x}), per_tower_batch_size=ROWS, order="fixed")
    return lt.build_train_step(
        model_fn, source, tf.train.GradientDescentOptimizer(0.0), lt.devices.cpus(TOWERS), **options
    )


def train(step, directory, steps=6, **hooks):
    """Trains in a MonitoredTrainingSession that saves after each step."""
    step.hooks.append(tf.train.StopAtStepHook(last_step=steps))
    with tf.train.MonitoredTrainingSession(
        checkpoint_dir=str(directory), save_checkpoint_steps=1, save_checkpoint_secs=None, config=CONFIG,
        hooks=step.hooks + hooks.get("hooks", []), chief_only_hooks=hooks.get("chief_only_hooks"),
        log_step_count_steps=None, save_summaries_steps=None, save_summaries_secs=None,
    ) as session:
        while not session.should_stop():
            session.run(step.train_op)


def saved(directory):
    """Returns the newest checkpoint's step, and its values."""
    path = tf.train.latest_checkpoint(str(directory))
    values = {name: tf.train.load_variable(path, name) for name, _ in tf.train.list_variables(path)}
    return int(path.rpartition("-")[2]), values


@pytest.mark.parametrize("value, what", [(np.nan, "NaN"), (np.inf, "infinite")])
def test_the_error_names_step_and_tower_and_the_checkpoint_before_it_is_the_last(tmp_path, value, what):
    step = build(data(4, 2, value))
    with pytest.raises(NanError) as caught:
        train(step, tmp_path, chief_only_hooks=[NanGuardHook(step)])
    assert str(caught.value) == (
        "the loss of tower 2 ('tower_2/Mean:0') is {} at global step 4, those of towers 0 and 1 are finite, and the "
        "variable 'w' is not finite after it: training ends, and no further checkpoint is saved; check the examples of "
        "tower 2 in this step".format(what)
    )
    assert saved(tmp_path) == (3, {"global_step": 3, "w": 1.0})


def test_without_the_guard_the_session_saves_nan(tmp_path):
    train(build(data(4, 2)), tmp_path)
    last, values = saved(tmp_path)
    assert last == 6 and np.isnan(values["w"])


@pytest.mark.parametrize("variables", [None, "replicated", "local_sgd:3"])
def test_a_saver_that_runs_before_the_guard_saves_no_nan(tmp_path, variables):
    step = build(data(4, 2), variables=variables)
    name = "tower 2's copy of the variable 'w'" if variables == "local_sgd:3" else "the variable 'w'"
    with pytest.raises(NanError, match="^{} is NaN or infinite after global step 4: ".format(name)):
        train(step, tmp_path, hooks=[NanGuardHook(step)])
    assert saved(tmp_path) == (3, {"global_step": 3, "w": 1.0})


@pytest.mark.parametrize("steps", [2, 6], ids=["last step", "other step"])
def test_a_finite_loss_with_a_nan_gradient_is_not_saved(tmp_path, steps):
    step = build(np.float32([0] * 6 + [1] * 30), root)
    with pytest.raises(NanError, match="^the variable 'w' is NaN or infinite after global step 2: "):
        train(step, tmp_path, steps, chief_only_hooks=[NanGuardHook(step)])
    assert saved(tmp_path) == (1, {"global_step": 1, "w": 1.0})


def test_all_towers_are_named_where_all_losses_are_nan():
    step = build(data(1, 1), lambda batch, mode: lt.TowerOutput(
        loss=tf.reduce_mean(tf.get_variable("w", [], initializer=tf.ones_initializer()) * batch["x"]) / 0.0
    ))
    with tf.Session(config=CONFIG) as session, step.running(session, [NanGuardHook(step)]) as run:
        with pytest.raises(NanError, match=r"^the loss of tower 0 \('.*'\) is infinite at global step 1, so are those "
                                           "of towers 1 and 2, and .* check the examples and the learning rate"):
            run()


def test_a_regularization_loss_is_named_where_the_towers_losses_are_finite():
    def model_fn(batch, mode):
        w = tf.get_variable("w", [], initializer=tf.ones_initializer(), regularizer=lambda w: w / 0.0)
        return lt.TowerOutput(loss=tf.reduce_mean(w * batch["x"]))

    step = build(data(1, 1, 1.0), model_fn)
    with tf.Session(config=CONFIG) as session, step.running(session, [NanGuardHook(step)]) as run:
        with pytest.raises(NanError, match="^the loss over all towers .* is infinite at global step 1, each tower's "
                                           "own loss is finite, and .*: .* check the regularization losses$"):
            run()


def test_a_run_that_does_not_train_fetches_nothing_and_one_that_does_a_single_tensor():
    step = build(data(4, 2))
    guard = NanGuardHook(step)
    guard.begin()
    with tf.Session() as session:
        def requested(fetches):
            return guard.before_run(tf.train.SessionRunContext(tf.train.SessionRunArgs(fetches), session))

        assert requested(step.global_step) is None
        assert requested(step.loss) is None
        losses = requested([step.train_op]).fetches
        assert requested(step.train_op).fetches is losses
    assert losses.op.type == "Pack"
    assert [each.op for each in losses.op.inputs] == [step.loss.op] + [tower.loss.op for tower in step.towers]


def test_the_objective_that_is_trained_is_checked_where_objectives_alternate():
    def model_fn(batch, mode):
        output = two_objectives.model_fn(batch, mode)
        infinite = tf.where(tf.train.get_global_step() >= 2, tf.constant(np.inf, tf.float64), 0.0)
        return lt.TowerOutput(loss=dict(output.loss, generator=output.loss["generator"] + infinite))

    step = two_objectives.build(two_objectives.objectives(discriminator=3, generator=1), model_fn)
    with tf.Session(config=CONFIG) as session, step.running(session, [NanGuardHook(step)]) as run:
        for _ in range(3):
            run()
        with pytest.raises(NanError, match="^the 'generator' loss of tower 0 .* is infinite at global step 4, "):
            run()


def test_asynchronous_towers_end_too(tmp_path):
    x = np.ones([400, TOWERS, ROWS], np.float32)
    x[:, 1] = np.nan
    source = lt.inputs.queue(lt.Examples.from_arrays({"x": x.reshape(-1)}), per_tower_batch_size=ROWS)
    step = lt.build_train_step(
        weighted_sum, source, tf.train.GradientDescentOptimizer(0.0), lt.devices.cpus(TOWERS), variables="asynchronous"
    )
    saver = tf.train.CheckpointSaverHook(str(tmp_path), save_steps=1, listeners=[step.asynchronous.pausing_listener()])
    with pytest.raises(NanError, match="'w'|tower 0"):
        with tf.train.MonitoredTrainingSession(
            config=CONFIG, hooks=step.hooks + [saver], chief_only_hooks=[NanGuardHook(step)]
        ) as session:
            for _ in range(400):
                session.run(step.train_op)
    assert saved(tmp_path)[1]["w"] == 1.0


def test_a_variable_that_is_infinite_at_the_start_is_saved(tmp_path):
    best = tf.get_variable("best", initializer=np.float32([np.inf, 1]), trainable=False)
    step = build(data(1, 0, 1.0))
    train(step, tmp_path, hooks=[NanGuardHook(step)])
    last, values = saved(tmp_path)
    assert (last, values["w"], list(values[best.op.name])) == (6, 1.0, [np.inf, 1.0])


def test_a_checkpoint_store_keeps_the_checkpoint_before_a_nan_gradient_and_nothing_else(tmp_path):
    step = build(np.float32([0] * 6 + [1] * 30), root)
    options = lt.training.CheckpointOptions(save_steps=1)
    with pytest.raises(NanError, match="^the variable 'w' is NaN or infinite after global step 2: "):
        with lt.training.CheckpointStore(str(tmp_path), options) as store:
            with tf.train.MonitoredTrainingSession(
                hooks=step.hooks + [NanGuardHook(step), lt.training.CheckpointHook(store)], scaffold=store.scaffold(),
                config=CONFIG,
            ) as session:
                for _ in range(6):
                    session.run(step.train_op)
    assert saved(tmp_path) == (1, {"global_step": 1, "w": 1.0})
    assert {name.partition(".")[0] for name in os.listdir(str(tmp_path))} == {"checkpoint", "graph", "model"}
    assert not [name for name in os.listdir(str(tmp_path)) if "ckpt-2" in name]


# The x of one example is NaN: it is in the batch of tower 2 in step 4, with four towers and 5 examples per tower.
NANS = job_files.LINE.replace("def line(", "def line(nan=False, ").replace(
    "train=lt.Examples.from_arrays(points(), seed=0)", "train=lt.Examples.from_arrays(points(nan), seed=0)"
).replace("def points():", "def points(nan=False):").replace(
    'return {"x": x, "y"', 'x[71, 0] = np.nan if nan else x[71, 0]\n        return {"x": x, "y"'
)


def test_train_ends_with_exit_code_1_and_the_next_run_resumes_from_the_checkpoint_before(tmp_path, monkeypatch, capsys):
    monkeypatch.chdir(tmp_path)
    job_files.write(tmp_path, "line.py", NANS)
    command = "train line.py --towers 4 --per-tower-batch-size 5 --order fixed --checkpoint-dir kept --save-steps 1 "
    assert main((command + "--steps 20 --nan true").split()) == 1
    shown = capsys.readouterr()
    assert shown.out == ""
    lines = shown.err.splitlines()
    assert lines[-1].startswith("legacy-towers: error: the loss of tower 2 ('tower_2/")
    assert (
        "is NaN at global step 4, those of towers 0, 1 and 3 are finite, and the variable 'w' is not finite after it: "
        "training ends, and no further checkpoint is saved; check the examples of tower 2 in this step"
    ) in lines[-1]
    last, values = saved("kept")
    assert last == 3 and all(np.isfinite(value).all() for value in values.values())
    assert main((command + "--steps 8").split()) == 0
    shown = capsys.readouterr()
    assert "steps: 4 to 8, resuming from {}\n".format(os.path.join("kept", "model.ckpt-3")) in shown.err
    assert shown.out.startswith("trained 5 steps ")
