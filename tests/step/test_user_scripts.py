"""The two forms of a training script, with MonitoredTrainingSession and with a tf.Session."""
import nets
import numpy as np
import pytest

import legacy_towers as lt
from legacy_towers.compat import tf

# The text of the two scripts as users write them, with CPUs in place of GPUs.
BUILD = """
import legacy_towers as lt
from legacy_towers.compat import tf            # the TF1 API, on any TensorFlow

def model_fn(batch, mode):                     # one tower; mode is lt.TRAIN, lt.EVAL or lt.PREDICT
    logits = net(batch["image"], training=mode == lt.TRAIN)
    metrics = {"accuracy": accuracy(logits, batch)}
    return lt.TowerOutput(loss=loss_of(logits, batch), metrics=metrics, predictions=logits)

step = lt.build_train_step(
    model_fn,
    inputs=lt.inputs.dataset(examples, per_tower_batch_size=64, route="next_per_tower"),
    optimizer=lambda global_step: tf.train.MomentumOptimizer(decay(global_step), 0.9),   # or a ready optimizer
    devices=lt.devices.cpus(4),
    variables=lt.variables.ParameterServer("/cpu:0"),
)
"""
MONITORED = """
with tf.train.MonitoredTrainingSession(
    hooks=step.hooks, config=lt.session_config(allow_growth=True, logical_cpus=4)
) as session:
    while not session.should_stop():
        session.run(step.train_op)
        losses.append(session.run(step.loss))
"""
BARE = """
with tf.Session(config=lt.session_config(logical_cpus=4)) as session, step.running(session) as run:
    for _ in range(8):
        run()                                      # one step, with any input pipeline
        losses.append(run(step.loss))
"""


def user_names(epochs):
    rng = np.random.RandomState(0)
    images = rng.normal(size=[512, 12]).astype(np.float32)
    labels = images[:, :5].argmax(axis=1).astype(np.int64)

    def net(image, training):
        weights = nets.variable("w", [12, 5], np.float32)
        return tf.matmul(image, weights)

    return {
        "examples": lt.Examples.from_arrays({"image": images, "label": labels}),
        "net": net,
        "loss_of": lambda logits, batch: tf.reduce_mean(
            tf.nn.sparse_softmax_cross_entropy_with_logits(labels=batch["label"], logits=logits)
        ),
        "accuracy": lambda logits, batch: tf.cast(tf.equal(tf.argmax(logits, 1), batch["label"]), tf.float32),
        "decay": lambda global_step: tf.train.exponential_decay(0.5, global_step, 100, 0.9),
        "losses": [],
    }


@pytest.mark.parametrize(
    "build, session",
    [
        (BUILD.replace("per_tower_batch_size=64", "per_tower_batch_size=64, epochs=8"), MONITORED),
        (BUILD, BARE),
    ],
    ids=["monitored", "bare"],
)
def test_user_scripts_run_as_written(build, session):
    names = user_names(epochs=8)
    exec(build + session, names)
    assert len(names["losses"]) == 8
    assert names["losses"][-1] < 0.7 * names["losses"][0]
    assert names["step"].plan.input.global_batch_size == 256
