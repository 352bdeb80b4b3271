"""TensorBoard's event files, as TensorFlow's own reader reads them."""
import glob

import numpy as np
from measured_runs import build, run

import legacy_towers as lt
from legacy_towers.compat import tf
from legacy_towers.training.hooks.summaries import SummaryHook


def read(directory):
    """Returns tag -> [(step, value)], and the steps of START events."""
    values, starts = {}, []
    for path in sorted(glob.glob(str(directory) + "/events.*")):
        for event in tf.train.summary_iterator(path):
            if event.session_log.status == tf.SessionLog.START:
                starts.append(event.step)
            for value in event.summary.value:
                values.setdefault(value.tag, []).append((event.step, value.simple_value))
    return values, starts


def test_losses_rates_and_the_models_own_summaries_are_written(tmp_path):
    with tf.Graph().as_default():
        step = build()
        hook = SummaryHook(step, str(tmp_path), 6)
        run(step, 13, [hook])
    hook.on_evaluation(13, {"accuracy": 0.5, "loss": 0.25})
    values, starts = read(tmp_path)
    assert values.pop("training/loss") == [(1, 1.0), (6, 36.0), (12, 144.0)]
    assert values.pop("training/x") == [(1, 1.0), (6, 6.0), (12, 12.0)]
    assert values.pop("training/learning_rate") == [(1, 0.5), (6, 0.5), (12, 0.25)]
    assert values.pop("weight") == [(1, 1.0), (6, 1.0), (12, 1.0)]
    assert values.pop("evaluation/accuracy") == [(13, 0.5)]
    assert values.pop("evaluation/loss") == [(13, 0.25)]
    for tag in ("training/examples_per_second", "training/input_wait"):
        (first, speed), (second, _) = values.pop(tag)
        assert (first, second) == (6, 12) and speed >= 0
    assert not values and starts == [1]


def test_a_resumed_run_tells_tensorboard_from_which_step_it_writes_again(tmp_path):
    for start, last in ((0, 12), (7, 14)):
        with tf.Graph().as_default():
            step = build(first=start + 1)
            run(step, last, [SummaryHook(step, str(tmp_path), 6)], start)
    assert read(tmp_path)[1] == [1, 8]


def test_objectives_that_alternate_and_metrics_with_reserved_names_have_tags_of_their_own(tmp_path):
    def model_fn(batch, mode):
        losses = {}
        for name in "ab":
            with tf.variable_scope(name):
                losses[name] = tf.get_variable("w", [], initializer=tf.ones_initializer()) * tf.reduce_mean(batch["x"])
        return lt.TowerOutput(loss=losses, metrics={"loss": 7 * losses["a"]})

    with tf.Graph().as_default():
        source = lt.inputs.feed(lt.Examples.from_arrays({"x": np.ones([64], np.float32)}), per_tower_batch_size=2)
        objectives = [
            lt.Objective("a", tf.train.GradientDescentOptimizer(0.0), "a", steps=1),
            lt.Objective("b", tf.train.AdamOptimizer(0.25), "b", steps=2),
        ]
        step = lt.build_train_step(model_fn, source, objectives, lt.devices.cpus(1))
        config = lt.session_config(logical_cpus=1)
        hook = SummaryHook(step, str(tmp_path), 2)
        with tf.Session(config=config) as session, step.running(session, [hook]) as step_once:
            for _ in range(3):
                step_once()
    values, _ = read(tmp_path)
    assert values["training/learning_rate/a"] == [(1, 0.0), (2, 0.0)]
    assert values["training/learning_rate/b"] == [(1, 0.25), (2, 0.25)]
    assert values["training/metrics/loss"] == [(1, 7.0), (2, 7.0)]
    assert values["training/loss"][0] == (1, 2.0)
