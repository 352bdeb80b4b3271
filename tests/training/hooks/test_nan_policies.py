"""What the guard does about NaN besides ending training: skip the step, restore, or nothing."""
import warnings

import job_files
import numpy as np
import pytest
import sessions

import legacy_towers as lt
from legacy_towers.cli.main import main
from legacy_towers.compat import tf
from legacy_towers.errors import ArgumentError, NanError


def run(step, **options):
    """Runs lt.training.session to its end; returns it, the losses, w after each step, and its warnings."""
    (w,) = [each for each in tf.global_variables() if each.op.name == "w"]
    running = lt.training.session(step, config=sessions.CONFIG, **options)
    losses, values = [], []
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        with running as session:
            while not session.should_stop():
                losses.append(session.run([step.train_op, step.loss])[1])
                values.append(session.run_step_fn(lambda step_context: step_context.session.run(w)))
    return running, losses, values, [str(each.message) for each in caught if "global step" in str(each.message)]


def test_skipped_steps_are_counted_and_reported():
    x = sessions.numbers(6)
    x[1, 0, 2] = x[2, 1, 1] = np.nan
    losses, expected = sessions.reference(x, skipped=(2, 3))
    running, found, values, said = run(
        sessions.build(x, skip_nonfinite=True), on_nan="skip", nan_limit=2, last_step=6
    )
    np.testing.assert_allclose(found, losses, rtol=1e-5)
    np.testing.assert_allclose(values, expected, rtol=1e-5)
    assert running.guard.skipped == 2 and len(said) == 2
    assert said[1].startswith("the loss of tower 1 ('tower_1/") and said[1].endswith(
        "is NaN at global step 3, and that of tower 0 is finite: the step is skipped, 2 so far; check the examples of "
        "tower 1 in this step"
    )


def test_more_skipped_steps_in_a_row_than_the_limit_end_training(tmp_path):
    x = sessions.numbers(8)
    x[1, 0, 0] = x[3:, 0, 0] = np.nan
    step = sessions.build(x, skip_nonfinite=True)
    with pytest.raises(NanError, match="at global step 6, .*: 3 steps in a row were skipped, and the limit is 2: "):
        run(step, checkpoints=str(tmp_path), on_nan="skip", nan_limit=2)
    assert all(np.isfinite(value) for value in sessions.saved(tf.train.latest_checkpoint(str(tmp_path))).values())


def test_a_step_that_is_skipped_for_its_gradient_is_reported():
    def model_fn(batch, mode):
        w = tf.get_variable("w", [], initializer=tf.ones_initializer())
        return lt.TowerOutput(loss=tf.reduce_mean(tf.sqrt(tf.square(w - batch["x"]))))

    x = np.float32([np.zeros([2, 3]), np.ones([2, 3])])
    step = sessions.build(x, model_fn, optimizer=tf.train.GradientDescentOptimizer(0.0), skip_nonfinite=True)
    running, _, values, said = run(step, on_nan="skip", last_step=2)
    assert values == [1.0, 1.0] and running.guard.skipped == 1
    assert said[0].startswith("a gradient is NaN or infinite at global step 2, and the loss is finite: the step is ")


@pytest.mark.parametrize("variables", [None, "replicated", "local_sgd:1"])
def test_restore_continues_from_the_newest_checkpoint_with_the_next_examples(tmp_path, variables):
    x = sessions.numbers(9)
    x[4, 1, 0] = np.nan  # step 5; the newest checkpoint is of step 3
    losses, expected = sessions.reference(x[:4])
    later, after = sessions.reference(x[5:], expected[2])
    step = sessions.build(x, variables=variables)
    options = lt.training.CheckpointOptions(save_steps=3, keep=9)
    running, found, values, said = run(
        step, checkpoints=str(tmp_path), checkpoint_options=options, on_nan="restore", last_step=9
    )
    assert running.guard.restored == 1 and np.isnan(found[4])
    np.testing.assert_allclose(found[:4] + found[5:], losses + later, rtol=1e-5)
    np.testing.assert_allclose(values[:4] + values[5:], expected + after, rtol=1e-5)
    assert values[4] == values[2]  # restored
    assert len(said) == 1 and "tower 1" in said[0] and said[0].endswith(
        "model.ckpt-3 are restored, and the updates of 2 steps since then are lost; check the examples of tower 1 in "
        "this step"
    )
    last = sessions.saved(tf.train.latest_checkpoint(str(tmp_path)))
    assert last["global_step"] == 9
    np.testing.assert_allclose(last["w"], after[-1], rtol=1e-5)


def test_a_variable_that_is_nan_before_a_save_is_restored_too(tmp_path):
    def model_fn(batch, mode):
        w = tf.get_variable("w", [], initializer=tf.ones_initializer())
        return lt.TowerOutput(loss=tf.reduce_mean(tf.sqrt(tf.square(w - batch["x"]))))

    x = np.float32([np.zeros([2, 3]), np.ones([2, 3]), np.zeros([2, 3])])
    step = sessions.build(x, model_fn, optimizer=tf.train.GradientDescentOptimizer(0.0))
    options = lt.training.CheckpointOptions(save_steps=1)
    running, losses, values, said = run(
        step, checkpoints=str(tmp_path), checkpoint_options=options, on_nan="restore", last_step=3
    )
    assert (losses, values, running.guard.restored) == ([1.0, 0.0, 1.0], [1.0, 1.0, 1.0], 1)
    assert "the variable 'w' is NaN or infinite after global step 2: the variables of" in said[0]
    assert sessions.saved(tf.train.latest_checkpoint(str(tmp_path))) == {"global_step": 3, "w": 1.0}


def test_sums_of_gradients_with_nan_are_cleared_by_a_restore(tmp_path):
    x = sessions.numbers(8)
    x[2, 1, 0] = np.nan
    step = sessions.build(x, reduction="accumulate:2+mean")
    options = lt.training.CheckpointOptions(save_steps=2)
    running, losses, values, _ = run(
        step, checkpoints=str(tmp_path), checkpoint_options=options, on_nan="restore", last_step=8
    )
    assert running.guard.restored == 1 and np.isfinite(values).all() and values[7] != values[3]


def test_restores_are_limited(tmp_path):
    x = sessions.numbers(8)
    x[1:, 0, 0] = np.nan
    step = sessions.build(x)
    with pytest.raises(NanError, match="at global step 4, .*: the variables were restored 2 times already, and"):
        run(step, checkpoints=str(tmp_path), on_nan="restore", nan_limit=2)


def test_guards_that_cannot_do_what_they_are_asked_for_are_refused():
    step = sessions.build(sessions.numbers(1))
    with pytest.raises(ArgumentError, match="on_nan='skip' needs a step that can skip: .*skip_nonfinite=True"):
        lt.training.NanGuardHook(step, "skip")
    with pytest.raises(ArgumentError, match="on_nan='restore' needs checkpoints: give their directory, or "):
        lt.training.session(step, on_nan="restore")
    with pytest.raises(ArgumentError, match="limit is 0: it must be an integer of at least 1"):
        lt.training.NanGuardHook(step, limit=0)


def test_a_skipping_guard_in_a_bare_session():
    x = sessions.numbers(3)
    x[1, 0, 0] = np.nan
    step, said = sessions.build(x, skip_nonfinite=True), []
    guard = lt.training.NanGuardHook(step, "skip", report=said.append)
    with tf.Session(config=sessions.CONFIG) as session, step.running(session, [guard]) as run:
        losses = [run(step.loss) for _ in range(3)]
    np.testing.assert_allclose(losses, sessions.reference(x, skipped=(2,))[0], rtol=1e-5)
    assert guard.skipped == 1 and len(said) == 1


# The x of one example is NaN: it is in the batch of tower 2 in step 4, with four towers and 5 examples per tower.
NANS = job_files.LINE.replace('return {"x": x, "y"', 'x[71, 0] = np.nan\n        return {"x": x, "y"')


@pytest.mark.parametrize("policy, details, exit_code", [
    ("skip", "1 step was skipped: a loss or a gradient was NaN or infinite", 0),
    ("restore", "the variables were restored once after a loss of NaN", 0),
    ("off", None, 0),
])
def test_train_with_a_policy(tmp_path, monkeypatch, capsys, policy, details, exit_code):
    monkeypatch.chdir(tmp_path)
    job_files.write(tmp_path, "line.py", NANS)
    command = "train line.py --towers 4 --per-tower-batch-size 5 --order fixed --checkpoint-dir kept --save-steps 2 "
    assert main((command + "--bare true --steps 6 --on-nan " + policy).split()) == exit_code
    shown = capsys.readouterr()
    lines = shown.out.splitlines()
    assert lines[0].startswith("trained 6 steps to a loss of ")
    assert lines[1:] == ([] if details is None else [details])
    noted = [line for line in shown.err.splitlines() if "is NaN at global step 4" in line]
    assert len(noted) == (0 if policy == "off" else 1)
    values = sessions.saved(tf.train.latest_checkpoint("kept"))
    assert np.isfinite(values["w"]).all() == (policy != "off")


def test_usage_errors_of_the_command_line(capsys):
    assert main("train line.py --on-nan restore".split()) == 2
    assert "--on-nan restore needs --checkpoint-dir" in capsys.readouterr().err
    assert main("train line.py --nan-limit 0".split()) == 2
    assert "--nan-limit is 0: it must be an integer of at least 1" in capsys.readouterr().err
