"""Trains a part of a run, or begins one from a checkpoint, in this Python, and writes what it saw: a script.

    python other_version.py train DIRECTORY UNTIL OUTPUT.npz
    python other_version.py warm CHECKPOINT OUTPUT.npz
"""
import os
import sys

import numpy as np

TESTS = os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "..")


def build(make):
    """Builds a step of two towers with copies, batch norm, an optimizer with slots, and moving averages."""
    import legacy_towers as lt
    from legacy_towers.compat import tf

    def model_fn(batch, mode):
        kernel = tf.get_variable("layer/kernel", [3, 4], initializer=tf.constant_initializer(0.25))
        scale = tf.get_variable("scale", [4], tf.float64, initializer=tf.ones_initializer())
        mean = tf.get_variable("mean", [4], trainable=False, initializer=tf.zeros_initializer())
        hidden = tf.matmul(batch["x"], kernel)
        update = tf.assign(mean, 0.9 * mean + 0.1 * tf.reduce_mean(hidden, axis=0))
        tf.add_to_collection(tf.GraphKeys.UPDATE_OPS, update)
        loss = tf.reduce_mean(tf.square(tf.cast(hidden, tf.float64) * scale - 1.0), axis=1)
        return lt.TowerOutput(loss=tf.cast(loss, tf.float32), predictions=tf.identity(batch["id"]))

    return lt.build_train_step(
        model_fn, make(), tf.train.AdamOptimizer(0.01), lt.devices.cpus(2), variables=lt.variables.Replicated(),
        moving_average_decay=0.9,
    )


def train(name, directory, until):
    """Trains until a global step; returns what was restored and what each step used, by name."""
    from resuming import pipeline

    import legacy_towers as lt
    from legacy_towers.compat import tf

    seen = {"ids": [], "losses": []}
    with tf.Graph().as_default():
        step = build(lambda: pipeline(name, seed=3))
        with lt.training.CheckpointStore(directory) as store:
            hooks = step.hooks + [tf.train.StopAtStepHook(last_step=until), lt.training.CheckpointHook(store)]
            with tf.train.MonitoredTrainingSession(
                hooks=hooks, scaffold=store.scaffold(), config=lt.session_config(logical_cpus=2)
            ) as session:
                # A run of TensorFlow's own session counts no step.
                seen.update(values_in(session._tf_sess()))
                while not session.should_stop():
                    _, loss, ids = session.run([
                        step.train_op, step.loss, [tower.output.predictions for tower in step.towers]
                    ])
                    seen["ids"].append(np.concatenate(ids))
                    seen["losses"].append(loss)
            seen["note"] = "" if store.resumed is None else store.resumed.note
    return seen


def warm(checkpoint):
    """Returns the values that a new run begins with."""
    from resuming import pipeline

    import legacy_towers as lt
    from legacy_towers.compat import tf

    with tf.Graph().as_default():
        step = build(lambda: pipeline("feed", seed=3))
        training = lt.training.session(
            step, warm_start=lt.training.WarmStart(checkpoint, slots=True, strict=True),
            config=lt.session_config(logical_cpus=2),
        )
        with training as session:
            return values_in(session._tf_sess())


def values_in(session):
    """Returns "in the session NAME" -> value for each variable that is saved."""
    from legacy_towers.compat import tf

    names = [variable.op.name for variable in tf.global_variables()]
    values = session.run(tf.global_variables())
    return {"in the session " + name: value for name, value in zip(names, values)}


def read(checkpoint):
    """Returns "in the file NAME" -> value for each variable of a checkpoint."""
    from legacy_towers.compat import tf

    return {
        "in the file " + name: tf.train.load_variable(checkpoint, name)
        for name, _ in tf.train.list_variables(checkpoint)
    }


def main(words):
    """Runs one of the commands above."""
    if words[0] == "train":
        _, name, directory, until, output = words
        seen = train(name, directory, int(until))
        seen.update(read(os.path.join(directory, "model.ckpt-" + until)))
    else:
        _, checkpoint, output = words
        seen = warm(checkpoint)
    np.savez(output, **{name.replace("/", "|"): value for name, value in seen.items()})


if __name__ == "__main__":
    sys.path.insert(0, TESTS)
    main(sys.argv[1:])
