"""The schedule of a job: it reaches the optimizer function, trains with its numbers, and is refused without effect."""
import numpy as np
import pytest

import legacy_towers as lt
from legacy_towers.compat import tf
from legacy_towers.errors import ArgumentError, JobError
from legacy_towers.training.building import build_job_step
from legacy_towers.training.job_optimizer import optimizer_of
from legacy_towers.training.settings import TrainSettings, check_settings
from legacy_towers.training.train import train


def model_fn(batch, mode):
    w = tf.get_variable("w", [], initializer=tf.zeros_initializer())
    return lt.TowerOutput(loss=tf.reduce_mean(w * batch["x"]))  # the gradient is 1


def job(**options):
    def optimizer(global_step, learning_rate):
        return tf.train.GradientDescentOptimizer(learning_rate)

    examples = lt.Examples.from_arrays({"x": np.ones([64], np.float32)})
    return lt.Job(model_fn, examples, **dict(dict(optimizer=optimizer, per_tower_batch_size=2), **options))


def test_a_job_trains_by_its_schedule_scaled_by_the_towers():
    given = job(schedule="polynomial:0.1,steps=8,warmup=3,scale=towers")
    rates = [0.2 * (n + 1) / 3 if n < 3 else 0.2 * (1 - (n - 3) / 5) for n in range(6)]
    with tf.Graph().as_default():
        devices = lt.devices.cpus(2)
        step = build_job_step(given, lt.inputs.dataset(given.train, per_tower_batch_size=2), devices)
        with tf.Session(config=lt.session_config(logical_cpus=2)) as session, step.running(session) as run:
            used = [run(step.learning_rates[""]) for _ in rates]
            trained = session.run(tf.trainable_variables()[0])
    np.testing.assert_allclose(used, rates, rtol=1e-6)
    np.testing.assert_allclose(trained, -sum(rates), rtol=1e-6)


def test_the_setting_overrides_the_job_and_a_rate_of_the_job_needs_none(tmp_path):
    with open(str(tmp_path / "log"), "w") as log:
        train(job(), TrainSettings(steps=2, checkpoint_dir=str(tmp_path / "run"), schedule="constant:0.25"), log)
    assert tf.train.load_variable(str(tmp_path / "run"), "w") == -0.5
    own = job(optimizer=lambda step, learning_rate=0.5: tf.train.GradientDescentOptimizer(learning_rate))
    assert optimizer_of(own, 1) is own.optimizer


def test_a_schedule_without_effect_and_a_missing_one_are_errors():
    own = job(optimizer=lambda step: tf.train.GradientDescentOptimizer(0.5), schedule="constant:0.1")
    with pytest.raises(JobError, match=r"^the schedule 'constant:0.1' has no effect: the job's optimizer"):
        optimizer_of(own, 1)
    with pytest.raises(JobError, match=r"^the job's optimizer function has the parameter 'learning_rate', and there"):
        optimizer_of(job(), 1)
    with pytest.raises(ArgumentError, match=r"^--schedule: the schedule 'cosine:0.1': after \":\", 'cosine' takes"):
        check_settings(TrainSettings(schedule="cosine:0.1"))


@pytest.mark.parametrize("make, expected", [
    (lambda: tf.train.AdamOptimizer(0.25), 0.25),
    (lambda: tf.train.MomentumOptimizer(lambda: tf.constant(0.5) / 2, 0.9), 0.25),
    (lambda: tf.train.RMSPropOptimizer(tf.constant(0.25)), 0.25),
    (lambda: lt.DistributedOptimizer(tf.train.AdagradOptimizer(0.25)), 0.25),
])
def test_a_step_knows_the_learning_rate_of_its_optimizer(make, expected):
    with tf.Graph().as_default(), tf.Session() as session:
        source = lt.inputs.from_tensors(per_tower=[{"x": tf.ones([2])}])
        step = lt.build_train_step(model_fn, source, make(), ["/cpu:0"])
        assert session.run(tf.convert_to_tensor(step.learning_rates[""])) == expected


def test_a_rate_that_is_called_inside_a_condition_is_unknown():
    with tf.Graph().as_default():
        source = lt.inputs.from_tensors(per_tower=[{"x": tf.ones([2])}])
        optimizer = tf.train.GradientDescentOptimizer(lambda: tf.constant(0.5) / 2)
        step = lt.build_train_step(model_fn, source, optimizer, ["/cpu:0"], reduction="mean+accumulate:2")
        assert step.learning_rates == {}
