"""Runs that the hooks of records measure: the model's numbers are known without TensorFlow."""
import numpy as np

import legacy_towers as lt
from legacy_towers.compat import tf

TOWERS, ROWS = 2, 3
CONFIG = lt.session_config(logical_cpus=TOWERS)


def model_fn(batch, mode):
    """The loss of step n, from 1, is n * n, and its metric n: its x is n, and the weight, whose gradient is 0, is 1."""
    w = tf.get_variable("w", [], initializer=tf.ones_initializer())
    tf.summary.scalar("weight", w)
    x = batch["x"]
    nothing = 0.0 * w * tf.reduce_mean(tf.where(tf.math.is_finite(x), x, tf.ones_like(x)))
    return lt.TowerOutput(loss=tf.reduce_mean(tf.stop_gradient(w) * tf.square(x)) + nothing, metrics={"x": x})


def build(first=1, steps=40, values=None, pipeline=lt.inputs.feed, **options):
    """Builds a step into the default graph, whose input begins at step `first`."""
    x = np.arange(first, first + steps, dtype=np.float32) if values is None else np.float32(values)
    source = pipeline(
        lt.Examples.from_arrays({"x": np.repeat(x, TOWERS * ROWS)}), per_tower_batch_size=ROWS, order="fixed"
    )

    def optimizer(step):
        return tf.train.GradientDescentOptimizer(lt.schedules.step_decay(step, 0.5, decay=0.5, every=10))

    return lt.build_train_step(model_fn, source, optimizer, lt.devices.cpus(TOWERS), **options)


def run(step, last, hooks, start=0, config=CONFIG, **options):
    """Runs the steps after `start` up to `last` in a MonitoredTrainingSession."""
    scaffold = tf.train.Scaffold(init_fn=lambda scaffold, session: session.run(set_step))
    set_step = tf.assign(step.global_step, start)
    hooks = list(step.hooks) + list(hooks) + [tf.train.StopAtStepHook(last_step=last)]
    with tf.train.MonitoredTrainingSession(
        hooks=hooks, scaffold=scaffold, config=config, log_step_count_steps=None, save_summaries_steps=None,
        save_summaries_secs=None, **options
    ) as session:
        while not session.should_stop():
            session.run(step.train_op)
