"""A step that runs without its hooks is an error that names them, for each input pipeline."""
import numpy as np
import pytest

import legacy_towers as lt
from legacy_towers.compat import tf
from legacy_towers.errors import SessionError
from legacy_towers.inputs.named import make_pipeline
from legacy_towers.specs.pipelines import PIPELINES, SYNTHETIC

TOWERS = 2
CONFIG = lt.session_config(logical_cpus=TOWERS)
X = np.ones([32, 4], np.float32)
BEGUN = "the step runs in a session without its hooks, which the input pipeline {!r} needs: "
IN_RUN = "the step runs without its hooks, and the input pipeline {!r} has one that "


def build(source):
    def model_fn(batch, mode):
        weights = tf.get_variable("w", [4], initializer=tf.ones_initializer())
        return lt.TowerOutput(loss=tf.reduce_mean(tf.reduce_sum(batch["x"] * weights, axis=1)))

    return lt.build_train_step(model_fn, source, tf.train.GradientDescentOptimizer(0.1), lt.devices.cpus(TOWERS))


def named(pipeline):
    return make_pipeline(pipeline, lt.Examples.from_arrays({"x": X}), per_tower_batch_size=4)


def from_queue():
    queue = tf.FIFOQueue(64, [tf.float32], [[4]], names=["x"])
    return lt.inputs.from_queue(queue, per_tower_batch_size=4, feed_with=lambda: ({"x": X[0]} for _ in range(99)))


def from_placeholders():
    placeholders = lt.tower_placeholders({"x": tf.TensorSpec([None, 4], tf.float32)}, TOWERS)
    return lt.inputs.from_placeholders(placeholders, [{"x": X}] * 9)


def switch():
    return lt.inputs.switch(named("dataset"), named("dataset"))


def fails(run, message):
    with pytest.raises(SessionError) as caught:
        run()
    assert str(caught.value).startswith(message) and "hooks=step.hooks" in str(caught.value)


def from_dataset():
    return lt.inputs.from_dataset(tf.data.Dataset.from_tensor_slices({"x": X}).repeat().batch(8, True))


# Staging has the same hook around every route of tf.data.
NAMED = [name for name in PIPELINES if name != SYNTHETIC and not name.startswith("staged+dataset:")]
CASES = [(name, lambda name=name: named(name)) for name in NAMED + ["staged+dataset:split"]] + [
    ("from_dataset", from_dataset),
    ("from_queue", from_queue),
    ("from_placeholders", from_placeholders),
    ("switch", switch),
]


@pytest.mark.parametrize("make", [each for _, each in CASES], ids=[name for name, _ in CASES])
def test_each_pipeline_names_the_hooks_that_are_missing(make):
    step = build(make())
    message = BEGUN.format(step.plan.input.pipeline)
    with tf.Session(config=CONFIG) as session:
        session.run([tf.global_variables_initializer(), tf.local_variables_initializer()])
        fails(lambda: session.run(step.train_op), message)
        fails(lambda: session.run({"all": [tf.group(step.train_op), step.global_step]}), message)
        fails(lambda: session.run(step.loss), message)
        fails(lambda: session.make_callable(step.train_op), message)
        fails(lambda: session.make_callable({"loss": step.loss}, accept_options=True), message)
        assert session.make_callable(step.global_step)() == 0
        assert session.run(step.global_step) == 0
        acts_in_each_run = [hook for hook in step.input.hooks if getattr(hook, "per_run_action", "")]
        with step.running(session) as run:
            run()
            if acts_in_each_run:
                fails(lambda: session.run(step.train_op), IN_RUN.format(step.plan.input.pipeline))
                fails(lambda: session.make_callable(step.train_op), IN_RUN.format(step.plan.input.pipeline))
            else:
                session.run(step.train_op)
                session.make_callable(step.train_op)()


def test_a_monitored_session_without_the_hooks():
    step = build(named("feed"))
    with pytest.raises(SessionError, match="^the step runs in a session without its hooks, .* 'feed' "):
        with tf.train.MonitoredTrainingSession(config=CONFIG) as session:
            session.run(step.train_op)


def test_runs_for_which_the_caller_feeds_the_batches_need_no_hooks():
    source = from_placeholders()
    step = build(source)
    placeholders = [each for each in tf.get_default_graph().get_operations() if each.type == "Placeholder"]
    with tf.Session(config=CONFIG) as session:
        session.run(tf.global_variables_initializer())
        loss = session.run(step.loss, {each.outputs[0]: X * 2 for each in placeholders})
    assert loss == 8.0


def test_steps_that_need_no_hooks_run_without_them():
    step = build(named(SYNTHETIC))
    with tf.Session(config=CONFIG) as session:
        session.run([tf.global_variables_initializer(), tf.local_variables_initializer()])
        session.run(step.train_op)
        assert session.run(step.global_step) == 1
