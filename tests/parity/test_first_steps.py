"""First steps from given values, and variables under their checkpoint names."""
import numpy as np
import pytest

import legacy_towers as lt
from legacy_towers.compat import tf
from legacy_towers.parity.arrays_file import read_arrays
from legacy_towers.parity.first_steps import record_first_steps
from legacy_towers.parity.whole_values import WholeValues, join_parts

X = np.random.RandomState(0).randn(48, 6).astype(np.float32)
RATE, MOMENTUM = 0.1, 0.5


def model_fn(batch, mode):
    w = tf.get_variable("w", [6, 2], initializer=tf.random_normal_initializer())
    # convert_to_tensor concatenates a partitioned variable.
    return lt.TowerOutput(loss=tf.reduce_mean(tf.square(tf.matmul(batch["x"], tf.convert_to_tensor(w)))))


def job(**choices):
    return lt.Job(
        model_fn, lt.Examples.from_arrays({"x": X}), lambda step: tf.train.MomentumOptimizer(RATE, MOMENTUM), **choices
    )


def train_with_numpy(w, steps, batch):
    """Returns the losses of some steps, and the first gradient, in float64."""
    losses, gradients, speed = [], [], 0.0
    for step in range(steps):
        x = X[np.arange(step * batch, (step + 1) * batch) % len(X)].astype(np.float64)
        losses.append(np.mean(x.dot(w) ** 2))
        gradients.append(2 * x.T.dot(x.dot(w)) / (batch * w.shape[1]))
        speed = MOMENTUM * speed + gradients[-1]
        w = w - RATE * speed
    return losses, gradients[0]


CHOICES = {
    "default": {},
    "round_robin": {"variables": lt.variables.RoundRobin(lt.devices.cpus(2))},
    "tree": {"reduction": lt.gradients.tree()},
    "partitioned": {"variables": lt.variables.Partitioned(lt.variables.RoundRobin(lt.devices.cpus(2)), 16)},
}


@pytest.mark.parametrize("choice", sorted(CHOICES))
def test_recorded_steps_match_numpy(choice, tmp_path):
    devices, config = lt.devices.cpus(2), lt.session_config(logical_cpus=2)
    values, first, second = (str(tmp_path / name) for name in ("values.npz", "first.npz", "second.npz"))
    reference = record_first_steps(job(), "dataset:split", devices, config, 4, 4, values, first)
    found = record_first_steps(job(**CHOICES[choice]), "feed", devices, config, 4, 4, values, second)
    start = read_arrays(values)
    assert sorted(start) == ["global_step", "w", "w/Momentum"]
    losses, gradient = train_with_numpy(start["w"].astype(np.float64), 4, 8)
    for each, path in ((reference, first), (found, second)):
        assert [float.fromhex(loss) for loss in each.losses] == pytest.approx(losses, rel=1e-5)
        assert list(read_arrays(path)) == ["w"] and each.dtype == "float32"
        np.testing.assert_allclose(read_arrays(path)["w"], gradient, atol=1e-5 * np.max(np.abs(gradient)))


def test_partitioned_variables_are_read_and_written_as_one_array():
    with tf.variable_scope("net", partitioner=tf.fixed_size_partitioner(3), use_resource=True):
        table = tf.get_variable("table", [7, 2])
    tf.get_variable("bias", [2], use_resource=True)
    values = WholeValues()
    wanted = {"net/table": np.arange(14, dtype=np.float32).reshape(7, 2), "other": np.zeros(3, np.float32)}
    with tf.Session() as session:
        session.run(tf.global_variables_initializer())
        assert values.write(session, wanted) == ["bias"]
        read = values.read(session)
        assert sorted(read) == ["bias", "net/table"]
        np.testing.assert_array_equal(read["net/table"], wanted["net/table"])
        np.testing.assert_array_equal(session.run(tf.convert_to_tensor(table)), wanted["net/table"])
    parts = list(table)
    halves = join_parts(parts[::-1], [wanted["net/table"][start:end] for start, end in ((5, 7), (3, 5), (0, 3))])
    np.testing.assert_array_equal(halves["net/table"], wanted["net/table"])
