"""Local SGD over workers: 2 workers of 2 towers against numpy, and their checkpoints."""
import numpy as np
import pytest
import server_steps

import legacy_towers as lt
from legacy_towers.compat import tf
from legacy_towers.errors import SaveError

pytestmark = pytest.mark.timeout(900)

STEPS, BATCH, SYNC = 7, 8, 3
RATE, MOMENTUM = 0.0625, 0.75  # exact in the float32 of the optimizer
TOWERS = 4
X = np.random.RandomState(0).normal(size=[STEPS, TOWERS, BATCH // TOWERS, 3])
START = np.linspace(-1.0, 1.0, 3)


@pytest.fixture(scope="module")
def cluster():
    return server_steps.LocalCluster(servers=0)


def model_fn(batch, mode):
    w = tf.get_variable("w", [3], tf.float64, tf.constant_initializer(START))
    tf.get_variable("untrained", [2], tf.float64, tf.constant_initializer([0.1, -np.inf]), trainable=False)
    counted = tf.get_variable("counted", [], tf.int32, tf.zeros_initializer(), trainable=False)
    tf.add_to_collection(tf.GraphKeys.UPDATE_OPS, tf.assign_add(counted, 2))
    return lt.TowerOutput(loss=tf.reduce_mean(tf.square(tf.reduce_sum(batch["x"] * w, axis=1) - 1.0)))


def in_numpy(steps=STEPS):
    """Returns the losses, and after each step the mean of the towers' weights and momentums."""
    weights, velocities = [np.tile(each, [TOWERS, 1]) for each in (START, 0.0 * START)]
    losses, means = [], []
    for step in range(steps):
        errors = np.einsum("tbi,ti->tb", X[step], weights) - 1.0
        losses.append(np.mean(np.square(errors)))
        gradients = np.einsum("tb,tbi->ti", 2 * errors / errors.shape[1], X[step])
        velocities = MOMENTUM * velocities + gradients
        weights = weights - RATE * velocities
        if (step + 1) % SYNC == 0:
            weights, velocities = [np.tile(np.mean(each, axis=0), [TOWERS, 1]) for each in (weights, velocities)]
        means.append((np.mean(weights, axis=0), np.mean(velocities, axis=0)))
    return losses, means


class Saves(tf.train.SessionRunHook):
    """Tries to save after each step, on the chief."""

    def __init__(self, step, folder):
        self.step, self.folder, self.refused = step, folder, []

    def after_run(self, run_context, run_values):
        number = int(run_context.session.run(self.step.global_step))
        try:
            [saver] = tf.get_collection(tf.GraphKeys.SAVERS)
            saver.save(run_context.session, self.folder + "/model.ckpt", global_step=number)
        except SaveError as error:
            assert "multiple of sync_every" in str(error)
            self.refused.append(number)


def build(task, towers=2, **options):
    examples = lt.Examples.from_arrays({"x": X.reshape([-1, 3])})
    inputs = lt.inputs.dataset(examples, global_batch_size=BATCH, epochs=1, order="fixed")
    return lt.build_train_step(
        model_fn, inputs, tf.train.MomentumOptimizer(RATE, MOMENTUM), lt.devices.cpus(towers),
        variables="local_sgd:{}".format(SYNC), cluster=task, **options
    )


def train(task, target, folder, **options):
    step = build(task, **options)
    step.watch_hook.seconds = 600.0  # however busy the machine is
    hooks = [Saves(step, folder)] if task.is_chief else []
    losses = []
    with tf.Session(target, config=lt.cluster.session_config(task, **server_steps.OPTIONS)) as session:
        with step.running(session, hooks) as run:
            for saver in tf.get_collection(tf.GraphKeys.SAVERS):
                saver.build()
            while True:
                losses.append(run(step.loss))
        names = ["w", "w/Momentum", "untrained", "counted", "w/replica_0", "w/replica_1"]
        values = {name: session.run(tf.get_default_graph().get_tensor_by_name(name + "/Read/ReadVariableOp:0"))
                  for name in names}
    return losses, values, hooks[0].refused if hooks else [], step.plan


def test_local_sgd_over_workers_computes_what_numpy_computes_and_saves_the_mean_of_all(cluster, tmp_path):
    chief, other = cluster.run(lambda task, target: train(task, target, str(tmp_path), skip_nonfinite=True))
    losses, means = in_numpy()
    weights, velocities = means[-1]
    for run in (chief, other):
        np.testing.assert_allclose(run[0], losses, rtol=1e-12)
        # At the end of the session all have the mean, also after a step that does not synchronize.
        for name in ("w", "w/replica_0", "w/replica_1"):
            np.testing.assert_allclose(run[1][name], weights, rtol=1e-12)
            np.testing.assert_array_equal(run[1][name], chief[1]["w"])
        np.testing.assert_allclose(run[1]["w/Momentum"], velocities, rtol=1e-12)
        np.testing.assert_array_equal(run[1]["untrained"], [0.1, -np.inf])
        assert run[1]["counted"] == 2 * STEPS
    assert chief[2] == [1, 2, 4, 5, 7]
    for number in (SYNC, 2 * SYNC):
        saved = tf.train.load_checkpoint(str(tmp_path / "model.ckpt-{}".format(number)))
        np.testing.assert_allclose(saved.get_tensor("w"), means[number - 1][0], rtol=1e-12)
        np.testing.assert_allclose(saved.get_tensor("w/Momentum"), means[number - 1][1], rtol=1e-12)
        assert saved.get_tensor("global_step") == number
    assert "each tower trains its own copy of the variables, and these are averaged" in chief[3].workers
